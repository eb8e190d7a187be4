#include "tests/backends/AotPrograms.h"

#include "backends/capture/Capture.h"
#include "backends/capture/Guards.h"

#include <ATen/Context.h>
#include <ATen/autocast_mode.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/as_strided.h>
#include <ATen/ops/complex.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>
#include <c10/core/DefaultDtype.h>
#include <c10/core/GradMode.h>
#include <c10/core/InferenceMode.h>
#include <c10/util/ScopeExit.h>
#include <gtest/gtest.h>

#include <functional>

namespace touchstone::tests {
namespace {

using values::Value;
using values::ValueList;

Value listOf(ValueList items) {
  auto list = std::make_shared<values::ListObject>();
  list->items = std::move(items);
  return Value(Value::Payload(std::move(list)));
}

Value tupleOf(ValueList items) {
  auto tuple = std::make_shared<values::TupleObject>();
  tuple->items = std::move(items);
  return Value(Value::Payload(std::move(tuple)));
}

Value dictOf(std::vector<std::pair<std::string, Value>> entries) {
  auto dict = std::make_shared<values::DictObject>();
  for (auto& [key, value] : entries) {
    dict->entries.emplace_back(key, std::move(value));
  }
  return Value(Value::Payload(std::move(dict)));
}

template <class T>
Value constant(T value) {
  return Value(Value::Payload(std::move(value)));
}

at::Tensor ones(at::IntArrayRef sizes) {
  return at::ones(sizes, at::kFloat);
}

/// Guards on the locals x, y, z, … all of which are read.
struct Guarded {
  explicit Guarded(ValueList values, bool distinct = false)
      : locals(std::move(values)), guards(names(), locals, std::vector<bool>(locals.size(), true), distinct) {
    guards.rely({}, {}, locals);
  }
  Guarded(ValueList values, std::vector<std::pair<size_t, backends::Assumption>> assumptions)
      : locals(std::move(values)), guards(names(), locals, std::vector<bool>(locals.size(), true), false) {
    guards.rely(assumptions, {}, locals);
  }

  std::vector<std::string> names() const {
    const std::vector<std::string> all = {"x", "y", "z"};
    return {all.begin(), all.begin() + static_cast<std::ptrdiff_t>(locals.size())};
  }
  /// The text of what fails; check() must say the same.
  std::string failure(const ValueList& values) const {
    std::vector<const at::Tensor*> tensors;
    const std::string text = guards.failure(values);
    EXPECT_EQ(guards.check(values, tensors), text.empty()) << text;
    return text;
  }
  std::string failureNow() const { return failure(locals); }

  ValueList locals;
  capture::Guards guards;
};

Guarded relyingOn(ValueList values) {
  std::vector<std::pair<size_t, backends::Assumption>> assumptions;
  for (size_t i = 0; i < values.size(); ++i) {
    assumptions.emplace_back(i, backends::Assumption::kMemory);
  }
  return {std::move(values), assumptions};
}

TEST(GuardsTest, OtherValuesOfTheSameKindPass) {
  const Guarded guarded({ones({2, 3}), ones({4})});
  EXPECT_EQ(guarded.failure({at::zeros({2, 3}), at::zeros({4})}), "");
  std::vector<const at::Tensor*> tensors;
  const ValueList other = {at::zeros({2, 3}), at::zeros({4})};
  ASSERT_TRUE(guarded.guards.check(other, tensors));
  ASSERT_EQ(tensors.size(), 2u);
  EXPECT_TRUE(tensors[1]->is_same(other[1].tensor()));
}

TEST(GuardsTest, EachPropertyOfATensorHasItsText) {
  const Guarded guarded({ones({2, 3})});
  EXPECT_EQ(guarded.failure({ones({2, 4})}), "tensor 'L['x']' size mismatch at index 1. expected 3, actual 4");
  EXPECT_EQ(guarded.failure({ones({5, 3})}), "tensor 'L['x']' size mismatch at index 0. expected 2, actual 5");
  EXPECT_EQ(guarded.failure({ones({6})}), "tensor 'L['x']' rank mismatch. expected 2, actual 1");
  EXPECT_EQ(guarded.failure({ones({3, 2}).t()}), "tensor 'L['x']' stride mismatch at index 0. expected 3, actual 1");
  EXPECT_EQ(guarded.failure({at::ones({2, 3}, at::kDouble)}),
            "tensor 'L['x']' dtype mismatch. expected Float, actual Double");
  EXPECT_EQ(guarded.failure({ones({2, 3}).requires_grad_()}),
            "tensor 'L['x']' requires_grad mismatch. expected requires_grad=0");
  EXPECT_EQ(Guarded({ones({2}).requires_grad_()}).failure({ones({2})}),
            "tensor 'L['x']' requires_grad mismatch. expected requires_grad=1");
  EXPECT_EQ(guarded.failure({constant<int64_t>(2)}), "___check_type_id(L['x'], Tensor)");
}

TEST(GuardsTest, DispatchKeysAreAConditionOfTheirOwn) {
  const at::Tensor plain = at::complex(ones({2}), ones({2}));
  at::Tensor conjugated = plain.conj();
  const std::string text = Guarded({plain}).failure({conjugated});
  EXPECT_EQ(text.rfind("tensor 'L['x']' dispatch key set mismatch. expected DispatchKeySet(", 0), 0u) << text;
  EXPECT_NE(text.find("Conjugate"), std::string::npos) << text;
  c10::InferenceMode inference;
  const std::string made = Guarded({plain}).failure({ones({2})});
  EXPECT_EQ(made.rfind("tensor 'L['x']' dispatch key set mismatch.", 0), 0u) << made;
}

TEST(GuardsTest, OneObjectMustStayOne) {
  const at::Tensor x = ones({2});
  const Guarded guarded({x, x});
  EXPECT_EQ(guarded.failure({x, ones({2})}), "L['x'] is L['y']");
  const at::Tensor other = ones({2});
  EXPECT_EQ(guarded.failure({other, other}), "");
}

TEST(GuardsTest, TwoObjectsMayBecomeOneUnlessThatIsReliedOn) {
  const at::Tensor x = ones({2});
  EXPECT_EQ(Guarded({ones({2}), ones({2})}).failure({x, x}), "");
  EXPECT_EQ(Guarded({ones({2}), ones({2})}, true).failure({x, x}), "L['x'] is not L['y']");
  EXPECT_EQ(relyingOn({ones({2}), ones({2})}).failure({x, x}), "L['x'] is not L['y']");
}

TEST(GuardsTest, PlaceInMemoryIsFreeUnlessItIsReliedOn) {
  const at::Tensor x = ones({4});
  const at::Tensor moved = ones({6}).narrow(0, 2, 4).detach(), larger = ones({6}).narrow(0, 0, 4).detach();
  const at::Tensor view = ones({4}).view({4});
  EXPECT_EQ(Guarded({x}).failure({moved}), "");
  EXPECT_EQ(Guarded({x}).failure({view}), "");
  EXPECT_EQ(relyingOn({x}).failure({moved}), "tensor 'L['x']' storage offset mismatch. expected 0, actual 2");
  EXPECT_EQ(relyingOn({x}).failure({larger}), "tensor 'L['x']' storage size mismatch. expected 16, actual 24");
  EXPECT_EQ(relyingOn({x}).failure({view}), "L['x'] and its like are views of the same bases");
}

TEST(GuardsTest, LeavesAreFreeUnlessTheyAreReliedOn) {
  const at::Tensor leaf = ones({2}).requires_grad_(), computed = ones({2}).requires_grad_().mul(1);
  EXPECT_EQ(Guarded({leaf}).failure({computed}), "");
  EXPECT_EQ(relyingOn({leaf}).failure({computed}), "tensor 'L['x']' is_leaf mismatch. expected 1, actual 0");
}

TEST(GuardsTest, SharedMemoryIsFreeUnlessItIsReliedOn) {
  const at::Tensor base = ones({4});
  const auto halves = [&] { return ValueList{base.narrow(0, 0, 2).detach(), base.narrow(0, 2, 2).detach()}; };
  const auto apart = [&] { return ValueList{ones({4}).narrow(0, 0, 2).detach(), ones({4}).narrow(0, 2, 2).detach()}; };
  EXPECT_EQ(Guarded(apart()).failure(halves()), "");
  EXPECT_EQ(relyingOn(halves()).failure(halves()), "");
  EXPECT_EQ(relyingOn(halves()).failure(apart()), "tensor 'L['y']' shares memory with other tensors than before");
  EXPECT_EQ(relyingOn(apart()).failure(halves()), "tensor 'L['y']' shares memory with other tensors than before");
  // Only x is relied on: what compiled code merely reads must not lie in its memory.
  const Guarded written({ones({2}), ones({2})}, {{0, backends::Assumption::kMemory}, {1, backends::Assumption::kNone}});
  const at::Tensor x = ones({2});
  EXPECT_EQ(written.failure({x, x.detach()}), "L['y'] and L['x'] share no memory");
  EXPECT_EQ(written.failure({x, ones({4}).narrow(0, 2, 2)}), "");
}

TEST(GuardsTest, TensorsThatCompiledCodeDoesNotGetAreFree) {
  const at::Tensor x = ones({2});
  const Guarded guarded({ones({2}), ones({2})}, {{0, backends::Assumption::kMemory}});
  EXPECT_EQ(guarded.failure({x, x.detach()}), "");
}

TEST(GuardsTest, VersionsAndViewsAreComparedWhereTheyAreReliedOn) {
  const at::Tensor base = ones({4});
  const at::Tensor one = base.narrow(0, 0, 2).detach();
  at::Tensor alone = at::as_strided(base, {2}, {1}, 2);
  const at::Tensor data = base.variable_data().narrow(0, 2, 2).detach();
  EXPECT_EQ(relyingOn({one, base.narrow(0, 2, 2).detach()}).failure({one, data}),
            "tensor 'L['y']' shares its version with other tensors than before");
  EXPECT_EQ(relyingOn({alone}).failure({base.narrow(0, 2, 2).detach()}),
            "L['x'] and its like are views of the same bases");
  EXPECT_EQ(relyingOn({alone}).failure({ones({2, 2}).view({4}).narrow(0, 2, 2)}),
            "tensor 'a base of a view' is a view in another way than before");
}

TEST(GuardsTest, ContainersHaveTheirLengthKeysAndIdentity) {
  const at::Tensor x = ones({2});
  EXPECT_EQ(Guarded({listOf({x})}).failure({listOf({x, x})}), "len(L['x']) == 1");
  EXPECT_EQ(Guarded({tupleOf({x})}).failure({tupleOf({})}), "len(L['x']) == 1");
  EXPECT_EQ(Guarded({listOf({x})}).failure({tupleOf({x})}), "L['x'] is a container of its own");
  EXPECT_EQ(Guarded({listOf({x})}).failure({listOf({ones({3})})}),
            "tensor 'L['x'][0]' size mismatch at index 0. expected 2, actual 3");
  EXPECT_EQ(Guarded({dictOf({{"a", x}})}).failure({dictOf({{"b", x}})}), "___check_type_id(L['x'], dict)");
  EXPECT_EQ(Guarded({dictOf({{"a", x}})}).failure({dictOf({{"a", constant<int64_t>(1)}})}),
            "___check_type_id(L['x']['a'], Tensor)");
  const Value shared = listOf({x}), other = listOf({x});
  EXPECT_EQ(Guarded({shared, shared}).failure({shared, other}), "L['y'] is the container that it was");
  EXPECT_EQ(Guarded({shared, other}).failure({shared, shared}), "L['y'] is a container of its own");
}

TEST(GuardsTest, ConstantsHaveTheirValues) {
  EXPECT_EQ(Guarded({constant<int64_t>(2)}).failure({constant<int64_t>(3)}), "L['x'] == 2");
  EXPECT_EQ(Guarded({constant<int64_t>(1)}).failure({constant(true)}), "L['x'] == 1");
  EXPECT_EQ(Guarded({constant(0.5)}).failure({constant(0.75)}), "L['x'] == 0.5");
  EXPECT_EQ(Guarded({constant(0.0)}).failure({constant(-0.0)}), "L['x'] == 0.0");
  EXPECT_EQ(Guarded({constant(true)}).failure({constant(false)}), "L['x'] == True");
  EXPECT_EQ(Guarded({constant(std::string("a"))}).failure({constant(std::string("b"))}), "L['x'] == 'a'");
  EXPECT_EQ(Guarded({Value()}).failure({constant<int64_t>(1)}), "L['x'] is None");
  EXPECT_EQ(Guarded({constant(at::kFloat)}).failure({constant(at::kDouble)}), "L['x'] == torch.float32");
}

TEST(GuardsTest, WhatIsNotReadIsFree) {
  const ValueList locals = {ones({2}), constant<int64_t>(1)};
  capture::Guards guards({"x", "n"}, locals, {true, false}, false);
  guards.rely({}, {}, locals);
  EXPECT_EQ(guards.failure({ones({2}), listOf({})}), "");
  EXPECT_EQ(guards.tensorCount(), 1u);
}

TEST(GuardsTest, EachModeOfTheThreadHasItsText) {
  const Guarded guarded({ones({2})});
  {
    c10::AutoGradMode off(false);
    EXPECT_EQ(guarded.failureNow(), "GLOBAL_STATE changed: grad_mode");
  }
  {
    const c10::InferenceMode on;
    const std::string text = guarded.failureNow();
    EXPECT_EQ(text, "GLOBAL_STATE changed: grad_mode"); // inference mode turns it off, too
  }
  auto differsWhile = [&](const std::function<void(bool)>& set, const char* what) {
    set(true);
    const auto undo = c10::make_scope_exit([&] { set(false); });
    EXPECT_EQ(guarded.failureNow(), std::string("GLOBAL_STATE changed: ") + what);
  };
  differsWhile([](bool on) { at::autocast::set_autocast_enabled(at::kCPU, on); }, "autocast_state");
  differsWhile([](bool on) { at::autocast::set_autocast_dtype(at::kCPU, on ? at::kHalf : at::kBFloat16); },
               "autocast_state");
  differsWhile([](bool on) { at::autocast::set_autocast_cache_enabled(!on); }, "autocast_state");
  differsWhile([](bool on) { c10::set_default_dtype(c10::scalarTypeToTypeMeta(on ? at::kDouble : at::kFloat)); },
               "default_dtype");
  differsWhile([](bool on) { at::globalContext().setDeterministicAlgorithms(on, false); }, "deterministic_algorithms");
  EXPECT_EQ(guarded.failureNow(), "");
}

TEST(GuardsTest, ConditionsAreShownInTheOrderOfTheWalk) {
  const at::Tensor x = ones({2});
  const Guarded guarded({x, listOf({x, constant<int64_t>(3)})}, {{0, backends::Assumption::kMemory}});
  const std::vector<std::string> texts = guarded.guards.texts();
  const std::vector<std::string> starts = {
      "___check_global_state() (grad_mode=True, inference_mode=False, autocast=off)",
      "check_tensor(L['x'], Tensor, DispatchKeySet(",
      "___check_type_id(L['y'], list)",
      "len(L['y']) == 2",
      "L['x'] is L['y'][0]",
      "L['y'][1] == 3",
      "check_memory(L['x'], offset=0, bytes=8, is_leaf=True, memory #0, version #0)"};
  ASSERT_EQ(texts.size(), starts.size());
  for (size_t i = 0; i < texts.size(); ++i) {
    EXPECT_EQ(texts[i].rfind(starts[i], 0), 0u) << texts[i];
  }
}

/// A Program that is captured, called with tensors of so many elements.
struct CapturedCalls {
  explicit CapturedCalls(capture::CaptureOptions options = {})
      : theCase(caseOfProgram({"", "F(2)", "x", "return x * 2"})),
        program(capture::captureProgram(theCase, std::move(options))) {}

  at::Tensor call(int64_t elements) {
    ValueList arguments = {at::arange(elements, at::kFloat)};
    return (*program)(arguments).tensor();
  }

  language::Case theCase;
  std::unique_ptr<values::CompiledProgram> program;
};

TEST(GuardsTest, AFailureIsReportedAndCausesARecompile) {
  std::vector<std::string> reasons;
  capture::CaptureOptions options;
  options.onGuardFailure = [&](const capture::GuardFailure& failure) {
    reasons.push_back(failure.function + ": " + failure.reason);
  };
  CapturedCalls calls(std::move(options));
  calls.call(2);
  calls.call(2);
  EXPECT_TRUE(reasons.empty());
  EXPECT_EQ(calls.call(3).numel(), 3);
  EXPECT_EQ(reasons,
            std::vector<std::string>{"program: tensor 'L['x']' size mismatch at index 0. expected 2, actual 3"});
  EXPECT_EQ(calls.program->report().recompiles.size(), 1u);
  calls.call(2); // both are kept
  EXPECT_EQ(calls.program->report().frames, 2);
}

/// The guards of a Program after a call, and why a second call with other arguments recompiles.
struct Asked {
  Asked(const std::string& body, const at::Tensor& first, const at::Tensor& second) {
    capture::CaptureOptions options;
    options.onGuardFailure = [&](const capture::GuardFailure& failure) { reason = failure.reason; };
    const language::Case theCase = caseOfProgram(AotProgram{"", "F(2)", "x", body.c_str()});
    const auto program = capture::captureProgram(theCase, std::move(options));
    for (const at::Tensor& each : {first, second}) {
      ValueList arguments = {each};
      (*program)(arguments);
    }
    for (const std::string& guard : program->report().guards) {
      texts += guard + "\n";
    }
  }
  std::string texts, reason;
};

TEST(GuardsTest, WhatTheCodeAsksOfATensorIsGuarded) {
  const auto leaf = [] { return ones({2}).requires_grad_(); };
  const Asked ofLeaf("return x.is_leaf, x * 2", leaf(), leaf() * 1);
  EXPECT_NE(ofLeaf.texts.find("check_leaf(L['x'], is_leaf=True)"), std::string::npos) << ofLeaf.texts;
  EXPECT_NE(ofLeaf.texts.find("check_leaf(L['x'], is_leaf=False)"), std::string::npos) << ofLeaf.texts;
  EXPECT_EQ(ofLeaf.reason, "tensor 'L['x']' is_leaf mismatch. expected 1, actual 0");

  at::Tensor hooked = leaf();
  hooked.register_hook([](const at::Tensor& gradient) { return gradient * 2; });
  const std::string gradient = "return torch.autograd.grad((x * x).sum(), [x])[0]";
  const Asked ofHooks(gradient, leaf(), hooked);
  EXPECT_NE(ofHooks.texts.find("not check_hooks(L['x'])"), std::string::npos) << ofHooks.texts;
  EXPECT_EQ(ofHooks.reason, "tensor 'L['x']' hooks mismatch. expected 0, actual 1");

  const auto viewOf = [](const at::Tensor& base) {
    const c10::AutoGradMode off(false);
    return base.slice(0, 0, 2);
  };
  const Asked ofBase("with torch.no_grad():\n    y = x[:1]\nreturn y, x * 2", viewOf(ones({3})).requires_grad_(),
                     viewOf(ones({3}).requires_grad_()));
  EXPECT_NE(ofBase.texts.find("check_base(L['x'], requires_grad=False)"), std::string::npos) << ofBase.texts;
  EXPECT_EQ(ofBase.reason, "tensor 'L['x']' requires_grad of its base mismatch. expected 0, actual 1");
}

TEST(GuardsTest, BeyondTheRecompileLimitAPlaceRunsEagerly) {
  capture::CaptureOptions options;
  options.recompileLimit = 2;
  CapturedCalls calls(std::move(options));
  for (int64_t elements = 1; elements <= 4; ++elements) {
    EXPECT_EQ(calls.call(elements).numel(), elements);
  }
  const ir::CompileReport report = calls.program->report();
  EXPECT_EQ(report.frames, 2);
  EXPECT_EQ(report.recompiles.size(), 1u);
  EXPECT_EQ(report.compiledRuns, 2);
  calls.call(1); // what there is goes on being used
  EXPECT_EQ(calls.program->report().compiledRuns, 3);
}

TEST(GuardsTest, ResetForgetsTheCode) {
  CapturedCalls calls;
  calls.call(2);
  calls.program->reset();
  calls.call(2);
  EXPECT_EQ(calls.program->report().frames, 2);
  EXPECT_TRUE(calls.program->report().recompiles.empty());
}

} // namespace
} // namespace touchstone::tests
