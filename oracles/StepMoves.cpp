#include "oracles/StepMoves.h"

#include "graph/program/TensorWalk.h"
#include "oracles/CallRunner.h"
#include "oracles/OpenFlow.h"
#include "oracles/Precision.h"

#include <ATen/core/enum_tag.h>
#include <ATen/core/ivalue.h>

#include <algorithm>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace touchstone::oracles {

namespace {

constexpr uint64_t kStepRuns = 12, kZerosMoveIn = 3;

void tensorsOn(const torch::jit::Stack& stack, size_t first, size_t count, std::vector<at::Tensor>& tensors) {
  for (size_t i = first; i < first + count; ++i)
    collectTensorsOf(stack[i], tensors);
}

std::string_view plainName(const c10::OperatorHandle& op) {
  const std::string& full = op.operator_name().name;
  std::string_view name = std::string_view(full).substr(full.rfind(':') + 1);
  if (name.ends_with('_'))
    name.remove_suffix(1);
  return name;
}

/// On the exact list, but rounds on other numbers than those of exact mode.
bool isArithmetic(const c10::OperatorHandle& op) {
  static const std::set<std::string_view> names{
      "add",     "sub",       "rsub",        "mul",       "square", "addmm", "addmv", "addbmm", "baddbmm",
      "addr",    "mm",        "mv",          "bmm",       "dot",    "vdot",  "sum",   "nansum", "cumsum",
      "addcmul", "index_add", "scatter_add", "index_put", "linear", "trace", "frac"};
  return names.contains(plainName(op));
}

/// Moves the results of steps, and notes the integers and bools among them.
class StepMover final : public graph::CallMode {
 public:
  void begin(size_t calls, std::optional<uint64_t> seed) {
    discrete_.assign(calls, {});
    steps_.assign(calls, {});
    seed_ = seed;
    moves_ = 0;
    call_ = 0;
  }
  void beginCall(int call) { call_ = static_cast<size_t>(call); }
  /// By call, a hash of each result that is not floating.
  const std::vector<std::vector<uint64_t>>& discrete() const { return discrete_; }
  /// By call, the operators.
  const std::vector<std::vector<std::string>>& steps() const { return steps_; }

  void onOperator(const graph::Node& /*node*/, const c10::OperatorHandle& op, torch::jit::Stack& stack,
                  const std::function<void()>& next) override {
    steps_.at(call_).push_back(op.operator_name().name);
    const size_t arguments = op.schema().arguments().size();
    std::vector<at::Tensor> operands, results;
    tensorsOn(stack, stack.size() - arguments, arguments, operands);
    const bool moves = seed_ && !operands.empty() && (isArithmetic(op) || mayRound(plainName(op))) &&
                       !op.hasTag(at::Tag::nondeterministic_seeded);
    if (moves && !op.hasTag(at::Tag::pointwise) && !op.schema().is_mutable())
      moveOperands(stack);
    next();
    tensorsOn(stack, 0, stack.size(), results);
    for (const at::Tensor& result : results) {
      if (!result.has_storage() || result.is_meta())
        continue;
      if (at::isIntegralType(result.scalar_type(), /*includeBool=*/true))
        note(result);
      else if (moves && isInNewMemory(result, operands))
        overwriteUnseen(result, movedByUlp(result, *seed_ + ++moves_, mayMoveZeros(op) ? Moved::kAll : Moved::kSigns));
    }
  }

 private:
  /// What adds up rounds by its operands: they may cancel.
  void moveOperands(torch::jit::Stack& stack) {
    for (c10::IValue& argument : stack)
      argument = graph::mapTensors(argument, [&](const at::Tensor& tensor) {
        return tensor.defined() && tensor.has_storage() ? movedByUlp(tensor, *seed_ + ++moves_) : tensor;
      });
  }

  /// A sum, difference or product of two numbers that is zero is so exactly, or as good as.
  bool mayMoveZeros(const c10::OperatorHandle& op) const {
    return *seed_ % kZerosMoveIn == 0 && !(isArithmetic(op) && op.hasTag(at::Tag::pointwise));
  }

  void note(const at::Tensor& result) {
    const at::Tensor plain = result.detach().contiguous().cpu();
    const std::string_view bytes(static_cast<const char*>(plain.const_data_ptr()), plain.nbytes());
    discrete_.at(call_).push_back(std::hash<std::string_view>()(bytes));
  }

  std::optional<uint64_t> seed_;
  uint64_t moves_ = 0;
  size_t call_ = 0;
  std::vector<std::vector<uint64_t>> discrete_;
  std::vector<std::vector<std::string>> steps_;
};

/// How many elements `nonzero` finds may hang on rounding, too.
bool givesSameSizes(const CallObservation& left, const CallObservation& right) {
  return std::equal(left.outputs.begin(), left.outputs.end(), right.outputs.begin(), right.outputs.end(),
                    [](const auto& one, const auto& other) { return one.sizes == other.sizes; });
}

} // namespace

std::optional<StepRuns> runInSteps(const graph::Case& theCase, const StepFactory& factory,
                                   const std::function<void(int call, const char* step)>& onStep) {
  const auto mover = std::make_shared<StepMover>();
  std::unique_ptr<graph::Callable> program;
  try {
    program = factory(theCase, mover);
  } catch (const std::exception&) {
    return std::nullopt;
  }
  const size_t calls = theCase.calls.size();
  const auto run = [&](std::optional<uint64_t> seed) {
    mover->begin(calls, seed);
    RunOptions options;
    options.onStep = [&](int call, const char* step) {
      mover->beginCall(call);
      if (onStep)
        onStep(call, step);
    };
    options.probeEffects = false;
    return runCalls(theCase, *program, options);
  };
  StepRuns runs{run(std::nullopt), {}};
  const std::vector<std::vector<uint64_t>> discrete = mover->discrete();
  const std::vector<std::vector<std::string>> steps = mover->steps();
  for (uint64_t seed = 1; seed <= kStepRuns; ++seed) {
    StepRuns::Moved moved{run(seed), seed % kZerosMoveIn == 0, std::vector<bool>(calls, true),
                          std::vector<bool>(calls, true)};
    for (size_t call = 0; call < calls; ++call) {
      moved.decidesAlike[call] =
          (call == 0 || moved.decidesAlike[call - 1]) && mover->discrete()[call] == discrete[call];
      moved.goesAlike[call] = (call == 0 || moved.goesAlike[call - 1]) && mover->steps()[call] == steps[call] &&
                              givesSameSizes(runs.asItIs.calls[call], moved.observation.calls[call]);
    }
    runs.moved.push_back(std::move(moved));
  }
  return runs;
}

} // namespace touchstone::oracles
