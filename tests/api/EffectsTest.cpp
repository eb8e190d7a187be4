#include "tests/api/Comparison.h"

#include <touchstone/effects.h>

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/full.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/randn.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

#include <algorithm>
#include <stdexcept>

namespace touchstone::aot {
namespace {

std::vector<int64_t>& noted() {
  static std::vector<int64_t> numbers;
  return numbers;
}

at::Tensor note(const at::Tensor& x, int64_t number) {
  noted().push_back(number);
  return x.clone();
}

at::Tensor noteByDispatcher(const at::Tensor& x, int64_t number) {
  static const auto op = c10::Dispatcher::singleton()
                             .findSchemaOrThrow("effects_test::note", "")
                             .typed<at::Tensor(const at::Tensor&, int64_t)>();
  return op.call(x, number);
}

/// The backward notes the negative number.
struct NotingFunction : torch::autograd::Function<NotingFunction> {
  static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& x, int64_t number) {
    context->saved_data["number"] = number;
    const at::AutoDispatchBelowADInplaceOrView below;
    return noteByDispatcher(x, number);
  }
  static Tensors backward(torch::autograd::AutogradContext* context, const Tensors& gradients) {
    return {noteByDispatcher(gradients[0], -context->saved_data["number"].toInt()), at::Tensor()};
  }
};

void tell(int64_t number) {
  noted().push_back(number);
}

/// Notes the number, and then raises where an element is negative.
void insist(const at::Tensor& x, int64_t number) {
  noted().push_back(number);
  TORCH_CHECK(x.min().item<double>() >= 0, "an element is negative");
}

template <typename... Arguments>
void callByDispatcher(const char* name, Arguments... arguments) {
  c10::Dispatcher::singleton().findSchemaOrThrow(name, "").typed<void(Arguments...)>().call(arguments...);
}

TORCH_LIBRARY(effects_test, library) {
  library.def("note(Tensor x, int number) -> Tensor");
  library.def("tell(int number) -> ()");
  library.def("tell_twice(int number) -> ()", [](int64_t number) {
    callByDispatcher("effects_test::tell", number);
    callByDispatcher("effects_test::tell", number);
  });
  library.def("add_noted_(Tensor(a!) x) -> Tensor(a!)");
}
// One name when `::` becomes `__`.
TORCH_LIBRARY(effects__test_, library) {
  library.def("insist(Tensor x, int number) -> ()");
}
TORCH_LIBRARY(effects, library) {
  library.def("test___insist(Tensor x, int number) -> ()");
}
TORCH_LIBRARY_IMPL(effects__test_, CPU, library) {
  library.impl("insist", insist);
}
TORCH_LIBRARY_IMPL(effects, CPU, library) {
  library.impl("test___insist", insist);
}
TORCH_LIBRARY_IMPL(effects_test, CompositeExplicitAutograd, library) {
  library.impl("tell", tell);
}
TORCH_LIBRARY_IMPL(effects_test, CPU, library) {
  library.impl("note", note);
}
TORCH_LIBRARY_IMPL(effects_test, Meta, library) {
  library.impl("note", [](const at::Tensor& x, int64_t) { return at::empty_like(x); });
}
TORCH_LIBRARY_IMPL(effects_test, Autograd, library) {
  library.impl("note", [](const at::Tensor& x, int64_t number) { return NotingFunction::apply(x, number); });
}

Tensors notingTwice(const Tensors& x) {
  noteByDispatcher(x[0], 1); // read by nobody
  const at::Tensor y = noteByDispatcher(x[0].sin(), 2);
  noteByDispatcher(x[0], 1);
  return {y.exp() * y}; // whose backward reads `y`
}

TEST(EffectsTest, OperatorsThatAreRegisteredRunOnceACallAndInOrder) {
  EXPECT_TRUE(contains(thrownBy<std::invalid_argument>([] { registerEffectfulOperator({"effects_test::nothing"}); }),
                       "no operator"));
  EXPECT_TRUE(contains(thrownBy<std::invalid_argument>([] { registerEffectfulOperator({"effects_test::add_noted_"}); }),
                       "writes"));
  registerEffectfulOperator({"effects_test::note", /*mayRaise=*/false});
  const std::vector<EffectfulOperator> table = effectfulOperators();
  EXPECT_TRUE(
      std::ranges::any_of(table, [](const auto& op) { return op.target == "effects_test::note" && !op.mayRaise; }));
  EXPECT_TRUE(std::ranges::any_of(table, [](const auto& op) { return op.target == "aten::_assert_async.msg"; }));
  const at::Tensor x = at::randn({3}).requires_grad_();
  const auto run = [&](const auto& function) {
    noted().clear();
    const Tensors results = function(Tensors{x});
    return std::make_tuple(results, gradientsOf(results, {x}), noted());
  };
  const auto [expected, gradients, order] = run(notingTwice);
  EXPECT_EQ(order, (std::vector<int64_t>{1, 2, 1, -2}));
  const std::pair<Partition, double> ways[] = {
      {Partition::kDefault, 1}, {Partition::kMinCut, 1}, {Partition::kMinCut, 0}};
  for (const auto& [partition, budget] : ways) {
    for (const bool unlifts : {false, true}) {
      const auto forward = std::make_shared<SeenGraphs>(), backward = std::make_shared<SeenGraphs>();
      const CompiledFunction compiled = aotFunction(notingTwice, {.forwardCompiler = keeping(forward),
                                                                  .backwardCompiler = keeping(backward),
                                                                  .partition = partition,
                                                                  .memoryBudget = budget,
                                                                  .unliftEffectTokens = unlifts});
      for (int time = 0; time < 2; ++time) { // compiled, and found in the cache
        const auto [results, found, orderFound] = run(compiled);
        expectSame(expected, results);
        expectSame(gradients, found);
        EXPECT_EQ(orderFound, order);
      }
      EXPECT_EQ(forward->count("with_effects::effects_test__note"), 3u);
      EXPECT_EQ(backward->count("with_effects::effects_test__note"), 1u);
      EXPECT_EQ(forward->count("touchstone::make_token"), unlifts ? 1u : 0u);
      EXPECT_EQ(backward->count("touchstone::sink_tokens"), unlifts ? 1u : 0u);
    }
  }
}

Tensors writingAndTelling(const Tensors& x) {
  const at::Tensor y = noteByDispatcher(x[0], 1);
  callByDispatcher("effects_test::tell_twice", int64_t{2});
  x[0].add_(1);
  callByDispatcher<const at::Tensor&, int64_t>("effects__test_::insist", x[1], 3);
  callByDispatcher<const at::Tensor&, int64_t>("effects::test___insist", x[2], 4);
  x[0].add_(noteByDispatcher(y, 5));
  const at::Tensor z = y.index_select(0, x[3]);
  callByDispatcher("effects_test::tell", int64_t{6});
  return {z * 2};
}

TEST(EffectsTest, WhereACallRaisesItsEffectsAreEagersWhateverTheyGive) {
  registerEffectfulOperator({"effects_test::note", /*mayRaise=*/false});
  registerEffectfulOperator({"effects_test::tell", /*mayRaise=*/false});
  registerEffectfulOperator({"effects__test_::insist"});
  registerEffectfulOperator({"effects::test___insist"});
  const auto run = [](const auto& function, double first, double second, int64_t index) {
    noted().clear();
    const at::Tensor x = at::ones({3}), found = x.view({3});
    std::string raised;
    try {
      function(Tensors{x, at::full({2}, first), at::full({2}, second), at::full({2}, index, at::kLong)});
    } catch (const c10::Error& error) {
      raised = error.what_without_backtrace();
    }
    return std::make_tuple(raised.substr(0, 20), noted(), found.sum().item<double>());
  };
  for (const bool unlifts : {false, true}) {
    const CompiledFunction compiled = aotFunction(writingAndTelling, {.unliftEffectTokens = unlifts});
    for (const auto& [first, second, index, count] :
         {std::tuple(1., 1., 1, 7), std::tuple(-1., 1., 1, 4), std::tuple(1., -1., 1, 5), std::tuple(1., 1., 7, 6)}) {
      const auto expected = run(writingAndTelling, first, second, index);
      EXPECT_EQ(std::get<1>(expected).size(), static_cast<size_t>(count));
      EXPECT_EQ(run(compiled, first, second, index), expected);
    }
  }
}

} // namespace
} // namespace touchstone::aot
