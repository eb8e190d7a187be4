#include "tests/api/Comparison.h"

#include <touchstone/effects.h>

#include <ATen/TensorOperators.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/full.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
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

void noteAlone(int64_t number) {
  static const auto op =
      c10::Dispatcher::singleton().findSchemaOrThrow("effects_test::note_alone", "").typed<void(int64_t)>();
  op.call(number);
}

void checkPositive(const at::Tensor& x) {
  static const auto op =
      c10::Dispatcher::singleton().findSchemaOrThrow("effects__test_::check", "").typed<void(const at::Tensor&)>();
  op.call(x);
}

TORCH_LIBRARY(effects_test, library) {
  library.def("note(Tensor x, int number) -> Tensor");
  library.def("note_alone(int number) -> ()");
  library.def("add_noted_(Tensor(a!) x) -> Tensor(a!)");
}
TORCH_LIBRARY_IMPL(effects_test, CompositeExplicitAutograd, library) {
  library.impl("note_alone", [](int64_t number) { noted().push_back(number); });
}
// Names that run into each other where `::` is written `__`.
TORCH_LIBRARY(effects__test_, library) {
  library.def("check(Tensor x) -> ()");
}
TORCH_LIBRARY_IMPL(effects__test_, CPU, library) {
  library.impl("check", [](const at::Tensor& x) { TORCH_CHECK(x.sum().item<double>() > 0, "not positive"); });
}
TORCH_LIBRARY(effects, library) {
  library.def("test___check(Tensor x) -> ()");
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

TEST(EffectsTest, WhereAForwardRaisesEffectsHappenOnceAndGiveWhatTheyGave) {
  registerEffectfulOperator({"effects_test::note", /*mayRaise=*/false});
  registerEffectfulOperator({"effects_test::note_alone", /*mayRaise=*/false});
  const auto function = [](const Tensors& x) -> Tensors {
    const at::Tensor first = noteByDispatcher(x[0], 1);
    noteAlone(2);
    x[0].add_(noteByDispatcher(first * 2, 3)); // eager's write stays, which is made of what was given
    const at::Tensor chosen = first.index_select(0, x[1]); // raises for some values
    noteAlone(4);
    return {chosen};
  };
  const auto run = [](const auto& called, int64_t last) {
    noted().clear();
    const at::Tensor x = at::arange(3, at::kFloat);
    std::string error;
    try {
      called(Tensors{x, at::tensor({int64_t{0}, last})});
    } catch (const std::exception& raised) {
      error = raised.what();
    }
    return std::make_tuple(x, noted(), error.find("index out of range") != std::string::npos);
  };
  for (const bool unlifts : {false, true}) {
    const CompiledFunction compiled = aotFunction(function, {.unliftEffectTokens = unlifts});
    for (const int64_t last : {1, 9, 2, 9}) {
      const auto [expected, order, raises] = run(function, last);
      EXPECT_EQ(order, last < 3 ? (std::vector<int64_t>{1, 2, 3, 4}) : (std::vector<int64_t>{1, 2, 3}));
      const auto [found, orderFound, raisesFound] = run(compiled, last);
      expectSame({expected}, {found});
      EXPECT_EQ(orderFound, order);
      EXPECT_EQ(raises, last > 3);
      EXPECT_EQ(raisesFound, raises);
    }
  }
}

TEST(EffectsTest, NamespacesMayHaveTwoUnderscores) {
  registerEffectfulOperator({"effects__test_::check", /*mayRaise=*/true});
  EXPECT_TRUE(contains(thrownBy<std::invalid_argument>([] { registerEffectfulOperator({"effects::test___check"}); }),
                       "`effects::test___check` and `effects__test_::check`"));
  const auto function = [](const Tensors& x) -> Tensors {
    x[0].add_(1);
    checkPositive(x[1]);
    return {x[0] * 2};
  };
  const CompiledFunction compiled = aotFunction(function);
  for (const double value : {1.0, -1.0}) {
    const at::Tensor x = at::zeros({3}), y = at::full({3}, value);
    std::string error;
    try {
      compiled({x, y});
    } catch (const std::exception& raised) {
      error = raised.what();
    }
    EXPECT_EQ(error.find("not positive") != std::string::npos, value < 0) << error;
    EXPECT_TRUE(at::equal(x, at::ones({3}))) << "what is written before the effect stays written";
  }
}

} // namespace
} // namespace touchstone::aot
