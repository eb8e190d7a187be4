#include "oracles/evidence/Perturbation.h"

#include "oracles/evidence/OperatorRounding.h"
#include "oracles/evidence/Precision.h"
#include "oracles/observe/CallRunner.h"
#include "oracles/taint/TaintFlow.h"
#include "program/values/TensorWalk.h"

#include <ATen/core/enum_tag.h>
#include <ATen/core/ivalue.h>

#include <algorithm>
#include <functional>
#include <string_view>
#include <utility>

namespace touchstone::evidence {

namespace {

constexpr uint64_t kStepRuns = 12, kZerosPerturbedIn = 3;

/// What a run does in one call, as hashes.
struct CallMark {
  uint64_t way = 0; // its operators, in order
  uint64_t decisions = 0; // integers and bools that they gave
};

void mix(uint64_t& hash, std::string_view bytes) {
  hash = hash * 31 + std::hash<std::string_view>()(bytes);
}

std::vector<at::Tensor> tensorsOn(const torch::jit::Stack& stack) {
  std::vector<at::Tensor> tensors;
  for (const c10::IValue& value : stack) {
    taint::collectTensorsOf(value, tensors);
  }
  return tensors;
}

/// Perturbs the results of steps, and marks which steps there are.
class StepPerturber final : public runtime::CallMode {
 public:
  void begin(size_t calls, std::optional<uint64_t> seed) {
    marks_.assign(calls, {});
    seed_ = seed;
    perturbs_ = 0;
    call_ = 0;
  }
  void beginCall(int call) { call_ = static_cast<size_t>(call); }
  const std::vector<CallMark>& marks() const { return marks_; }

  void onOperator(const ir::Node& /*node*/, const c10::OperatorHandle& op, torch::jit::Stack& stack,
                  const std::function<void()>& next) override {
    const std::string_view name = taint::nameOf(op);
    mix(marks_.at(call_).way, name); // now: the step may raise
    const std::vector<at::Tensor> operands = tensorsOn(stack);
    const bool perturbs = seed_ && !operands.empty() && (isExactArithmetic(name) || mayRound(name)) &&
                          !op.hasTag(at::Tag::nondeterministic_seeded);
    const bool isPointwise = op.hasTag(at::Tag::pointwise);
    if (perturbs && !isPointwise && !op.schema().is_mutable()) {
      perturbOperands(stack);
    }
    next();
    // A sum, difference or product of two numbers that is zero is so exactly, or as good as.
    const bool perturbsZeros = perturbs && *seed_ % kZerosPerturbedIn == 0 && !(isPointwise && isExactArithmetic(name));
    for (const at::Tensor& result : tensorsOn(stack)) {
      if (!result.has_storage() || result.is_meta()) {
        continue;
      }
      if (at::isIntegralType(result.scalar_type(), /*includeBool=*/true)) {
        note(result);
      } else if (perturbs && isInNewMemory(result, operands)) {
        overwriteUnseen(
            result, perturbedByUlp(result, *seed_ + ++perturbs_, perturbsZeros ? Perturbed::kAll : Perturbed::kSigns));
      }
    }
  }

 private:
  /// What adds up rounds by its operands: they may cancel. Where there is no higher precision to tell how far eager's own sums
  /// are off, as many roundings as it has elements.
  void perturbOperands(torch::jit::Stack& stack) {
    for (c10::IValue& argument : stack) {
      argument = values::mapTensors(argument, [&](const at::Tensor& tensor) {
        if (!tensor.defined() || !tensor.has_storage()) {
          return tensor;
        }
        const uint64_t seed = *seed_ + ++perturbs_;
        return c10::toRealValueType(tensor.scalar_type()) == at::kDouble ? perturbedAsAddedUp(tensor, seed)
                                                                         : perturbedByUlp(tensor, seed);
      });
    }
  }

  void note(const at::Tensor& result) {
    const at::Tensor plain = result.detach().contiguous().cpu();
    mix(marks_.at(call_).decisions, {static_cast<const char*>(plain.const_data_ptr()), plain.nbytes()});
  }

  std::optional<uint64_t> seed_;
  uint64_t perturbs_ = 0;
  size_t call_ = 0;
  std::vector<CallMark> marks_;
};

/// How many elements `nonzero` finds may hang on rounding, too.
bool givesSameSizes(const observe::CallObservation& left, const observe::CallObservation& right) {
  return std::equal(left.outputs.begin(), left.outputs.end(), right.outputs.begin(), right.outputs.end(),
                    [](const auto& one, const auto& other) { return one.sizes == other.sizes; });
}

} // namespace

std::optional<StepRuns> runInSteps(const language::Case& theCase, const StepFactory& factory,
                                   const std::function<void(int call, const char* step)>& onStep) {
  const auto perturber = std::make_shared<StepPerturber>();
  std::unique_ptr<values::Callable> program;
  try {
    program = factory(theCase, perturber);
  } catch (const std::exception&) {
    return std::nullopt;
  }
  const size_t calls = theCase.calls.size();
  const auto run = [&](std::optional<uint64_t> seed) {
    perturber->begin(calls, seed);
    observe::RunOptions options;
    options.onStep = [&](int call, const char* step) {
      perturber->beginCall(call);
      if (onStep) {
        onStep(call, step);
      }
    };
    options.probeEffects = false;
    return observe::runCalls(theCase, *program, options);
  };
  StepRuns runs{run(std::nullopt), {}};
  const std::vector<CallMark> marks = perturber->marks();
  for (uint64_t seed = 1; seed <= kStepRuns; ++seed) {
    StepRuns::Perturbed perturbed{run(seed), seed % kZerosPerturbedIn == 0, std::vector<bool>(calls),
                                  std::vector<bool>(calls)};
    bool decidesAlike = true, goesAlike = true;
    for (size_t call = 0; call < calls; ++call) {
      const CallMark& mark = perturber->marks()[call];
      decidesAlike = decidesAlike && mark.decisions == marks[call].decisions;
      goesAlike = goesAlike && mark.way == marks[call].way &&
                  givesSameSizes(runs.asItIs.calls[call], perturbed.observation.calls[call]);
      perturbed.decidesAlike[call] = decidesAlike;
      perturbed.goesAlike[call] = goesAlike;
    }
    runs.perturbed.push_back(std::move(perturbed));
  }
  return runs;
}

} // namespace touchstone::evidence
