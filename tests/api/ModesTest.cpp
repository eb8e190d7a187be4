#include <touchstone/modes.h>

#include "tests/api/Comparison.h"

#include <touchstone/compilers.h>

#include <ATen/ops/randn.h>
#include <ATen/ops/silu.h>

#include <algorithm>
#include <map>

namespace touchstone::aot {
namespace {

using modes::Call;
using modes::Mode;
using modes::ModeStack;

/// What was called in which kind of graph, and by whom that was seen.
using Seen = std::vector<std::string>;

class Noting final : public Mode {
 public:
  Noting(Seen& seen, std::string name) : seen_(seen), name_(std::move(name)) {}
  void onCall(Call& call) override {
    static const std::map<touchstone_role, std::string> kRoles{{TOUCHSTONE_CAPTURED, "captured"},
                                                               {TOUCHSTONE_FORWARD, "forward"},
                                                               {TOUCHSTONE_BACKWARD, "backward"},
                                                               {TOUCHSTONE_INFERENCE, "inference"}};
    EXPECT_FALSE(call.isDone());
    EXPECT_TRUE(call.site().isOperator);
    seen_.push_back(name_ + " " + kRoles.at(call.site().role) + " " + std::string(call.site().target));
    call.proceed();
    EXPECT_TRUE(call.isDone());
  }

 private:
  Seen& seen_;
  std::string name_;
};

/// Does with each call what the function says.
class Doing final : public Mode {
 public:
  explicit Doing(std::function<void(Call& call)> function) : function_(std::move(function)) {}
  void onCall(Call& call) override { function_(call); }

 private:
  std::function<void(Call& call)> function_;
};

std::shared_ptr<Mode> negatingSin() {
  return std::make_shared<Doing>([](Call& call) {
    if (call.site().target == "aten::sin") {
      return call.replace({call.stack()[0].toTensor().neg()});
    }
    call.proceed();
  });
}

Tensors sinTwice(const Tensors& x) {
  return {x[0].sin() * 2};
}

GraphFunction compiledWith(const Compiler& compiler, const Function& function, const at::Tensor& x) {
  return compiler(capture(function, {x}), {x});
}

bool contains(const Seen& seen, const std::string& wanted) {
  return std::find(seen.begin(), seen.end(), wanted) != seen.end();
}

std::string thrownBy(const std::function<void()>& function) {
  try {
    function();
  } catch (const c10::Error& error) {
    return error.what_without_backtrace();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "nothing";
}

TEST(ModesTest, AFunctionModeSeesCapturedCallsWithAutogradOn) {
  Seen seen;
  const at::Tensor x = at::randn({3}).requires_grad_();
  const GraphFunction run = compiledWith(eagerWithMode(std::make_shared<Noting>(seen, "mode")), sinTwice, x);
  const Tensors outputs = run({x});
  EXPECT_EQ(seen, (Seen{"mode captured aten::sin", "mode captured aten::mul.Scalar"}));
  EXPECT_TRUE(at::equal(outputs.at(0), x.sin() * 2));
  EXPECT_TRUE(at::equal(gradientsOf(outputs, {x}).at(0), gradientsOf(sinTwice({x}), {x}).at(0)));
}

TEST(ModesTest, OfAStackTheLastSeesACallFirstAndWhatItReplacesTheOthersDoNotSee) {
  Seen seen;
  const at::Tensor x = at::randn({3});
  const auto stack = std::make_shared<ModeStack>(std::vector<std::shared_ptr<Mode>>{
      std::make_shared<Noting>(seen, "first"), negatingSin(), std::make_shared<Noting>(seen, "last")});
  EXPECT_TRUE(at::equal(compiledWith(eagerWithMode(stack), sinTwice, x)({x}).at(0), x.neg() * 2));
  EXPECT_EQ(seen,
            (Seen{"last captured aten::sin", "last captured aten::mul.Scalar", "first captured aten::mul.Scalar"}));
}

TEST(ModesTest, ADispatchModeSeesForwardBackwardAndInference) {
  Seen seen;
  const auto mode = std::make_shared<Noting>(seen, "mode");
  const CompiledFunction compiled =
      aotFunction(sinTwice, {.forwardCompiler = boxedNopWithMode(mode, TOUCHSTONE_FORWARD),
                             .backwardCompiler = boxedNopWithMode(mode, TOUCHSTONE_BACKWARD),
                             .inferenceCompiler = boxedNopWithMode(mode, TOUCHSTONE_INFERENCE)});
  const at::Tensor x = at::randn({3}).requires_grad_();
  const Tensors outputs = compiled({x});
  EXPECT_TRUE(contains(seen, "mode forward aten::sin"));
  EXPECT_FALSE(contains(seen, "mode backward aten::cos"));
  EXPECT_TRUE(at::equal(gradientsOf(outputs, {x}).at(0), gradientsOf(sinTwice({x}), {x}).at(0)));
  EXPECT_TRUE(contains(seen, "mode backward aten::cos"));
  compiled({at::randn({3})});
  EXPECT_TRUE(contains(seen, "mode inference aten::sin"));
}

TEST(ModesTest, OperatorsAreSeenDecomposedInForwardAndBackward) {
  Seen seen;
  const Function sinOfSilu = [](const Tensors& x) -> Tensors { return {at::silu(x[0]).sin()}; };
  const at::Tensor x = at::randn({3}).requires_grad_();
  const GraphFunction run =
      compiledWith(aotEagerDecompPartitionWithMode(std::make_shared<Noting>(seen, "mode")), sinOfSilu, x);
  const Tensors outputs = run({x});
  EXPECT_TRUE(at::allclose(outputs.at(0), at::silu(x).sin()));
  EXPECT_TRUE(contains(seen, "mode forward aten::exp"));
  EXPECT_FALSE(contains(seen, "mode forward aten::silu"));
  EXPECT_TRUE(at::allclose(gradientsOf(outputs, {x}).at(0), gradientsOf(sinOfSilu({x}), {x}).at(0)));
  EXPECT_TRUE(contains(seen, "mode backward aten::exp")); // cheap to compute again
}

TEST(ModesTest, ArgumentsMayBeChangedBeforeACallAndResultsAfterIt) {
  const at::Tensor x = at::randn({3});
  const auto mode = std::make_shared<Doing>([](Call& call) {
    if (call.site().target == "aten::mul.Scalar") {
      call.stack().at(1) = 5;
      call.proceed();
      call.stack().at(0) = call.stack().at(0).toTensor() + 1;
    } else {
      call.proceed();
    }
  });
  EXPECT_TRUE(at::equal(compiledWith(eagerWithMode(mode), sinTwice, x)({x}).at(0), x.sin() * 5 + 1));
}

TEST(ModesTest, WhatAModeOwesIsSaid) {
  const at::Tensor x = at::randn({3});
  const auto errorOf = [&](std::function<void(Call & call)> function) {
    return thrownBy(
        [&] { compiledWith(eagerWithMode(std::make_shared<Doing>(std::move(function))), sinTwice, x)({x}); });
  };
  EXPECT_EQ(errorOf([](Call&) {}),
            "A mode neither made the call `aten::sin` nor replaced it: Call::proceed() or "
            "Call::replace() is missing.");
  EXPECT_EQ(errorOf([](Call& call) {
              call.proceed();
              call.proceed();
            }),
            "The call `aten::sin` has its results already.");
  EXPECT_EQ(errorOf([](Call& call) {
              call.proceed();
              call.replace({});
            }),
            "The call `aten::sin` has its results already.");
  EXPECT_NE(errorOf([](Call& call) { call.replace({}); }).find("a mode has left 0 results, `aten::sin` has 1"),
            std::string::npos);
  EXPECT_EQ(errorOf([](Call&) { throw std::runtime_error("no sine today"); }), "no sine today");
  EXPECT_EQ(thrownBy([] { eagerWithMode(nullptr); }), "a compiler with a mode was given none");
  EXPECT_EQ(thrownBy([] { ModeStack({nullptr}); }), "A stack of modes has a null in it.");
}

} // namespace
} // namespace touchstone::aot
