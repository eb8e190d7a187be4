#include "generators/features/ExecutionFeatures.h"

#include "generators/catalogue/Draw.h"
#include "generators/features/AutogradCycles.h"
#include "generators/features/EvaluationState.h"
#include "program/evaluator/Evaluator.h"

#include <ATen/autocast_mode.h>
#include <ATen/core/Tensor.h>
#include <c10/core/GradMode.h>
#include <c10/core/InferenceMode.h>
#include <c10/core/StorageImpl.h>

#include <set>
#include <string>
#include <unordered_map>

namespace touchstone::features {

namespace {

constexpr size_t kWatchedArguments = 4;

/// A bit for each class of dtypes that programs treat alike.
unsigned dtypeClass(at::ScalarType dtype) {
  if (dtype == at::kBool) {
    return 1;
  }
  if (at::isIntegralType(dtype, /*includeBool=*/false)) {
    return dtype == at::kLong ? 2 : 4;
  }
  if (at::isComplexType(dtype)) {
    return 8;
  }
  return dtype == at::kFloat ? 16 : dtype == at::kDouble ? 32 : 64;
}

unsigned layoutClass(const at::Tensor& tensor) {
  if (tensor.layout() != at::kStrided) {
    return 1;
  }
  bool expanded = false;
  for (int64_t dimension = 0; dimension < tensor.dim(); ++dimension) {
    expanded |= tensor.size(dimension) > 1 && tensor.stride(dimension) == 0;
  }
  const unsigned shape = tensor.dim() == 0        ? 0
                         : tensor.numel() == 0    ? 1
                         : tensor.is_contiguous() ? 2
                         : expanded               ? 3
                                                  : 4;
  return 8 + shape + 8 * (tensor.storage_offset() != 0 ? 1U : 0U) + 16 * (tensor.is_view() ? 1U : 0U) +
         32 * (tensor.requires_grad() ? 1U : 0U);
}

class FeatureWatch {
 public:
  void look(const c10::OperatorHandle& op, const torch::jit::Stack& stack) {
    const uint64_t name = catalogue::hashName(op.schema().name()) ^ catalogue::hashName(op.schema().overload_name());
    const size_t count = op.schema().arguments().size();
    unsigned dtypes = 0;
    size_t position = 0;
    const auto lookAt = [&](const at::Tensor& tensor) {
      dtypes |= dtypeClass(tensor.scalar_type());
      if (position < kWatchedArguments) {
        add(FeatureKind::kLayout, catalogue::mix(name ^ position) ^ layoutClass(tensor));
      }
      ++position;
      if (tensor.has_storage()) {
        uint64_t& last = last_[tensor.storage().unsafeGetStorageImpl()];
        add(FeatureKind::kNeighbours, catalogue::mix(last) ^ name);
        last = name;
      }
    };
    for (size_t index = stack.size() - std::min(count, stack.size()); index < stack.size(); ++index) {
      if (stack[index].isTensor() && stack[index].toTensor().defined()) {
        lookAt(stack[index].toTensor());
      } else if (stack[index].isTensorList()) {
        for (const at::Tensor& tensor : stack[index].toTensorVector()) {
          lookAt(tensor);
        }
      }
    }
    add(FeatureKind::kDtypes, catalogue::mix(name) ^ dtypes);
    const unsigned region = (c10::GradMode::is_enabled() ? 1U : 0U) | (c10::InferenceMode::is_enabled() ? 2U : 0U) |
                            (at::autocast::is_autocast_enabled(at::kCPU) ? 4U : 0U);
    add(FeatureKind::kRegion, catalogue::mix(name) ^ region);
  }

  std::set<uint32_t> features;

 private:
  void add(FeatureKind kind, uint64_t hash) { features.insert(makeFeature(kind, hash)); }

  std::unordered_map<const c10::StorageImpl*, uint64_t> last_; // operator that took the storage last
};

} // namespace

std::string_view featureKindName(FeatureKind kind) {
  static constexpr std::string_view kNames[] = {"dtypes", "layouts", "neighbours", "regions", "outcomes"};
  return kNames[static_cast<size_t>(kind)];
}

uint32_t makeFeature(FeatureKind kind, uint64_t hash) {
  const uint64_t mixed = catalogue::mix(hash ^ (static_cast<uint64_t>(kind) << 56));
  return (static_cast<uint32_t>(mixed >> 32) & ~7U) | static_cast<uint32_t>(kind);
}

FeatureKind kindOf(uint32_t feature) {
  return static_cast<FeatureKind>((feature & 7U) % kFeatureKindCount);
}

std::vector<uint32_t> executionFeatures(const language::Case& theCase) {
  const EvaluationState restored;
  FeatureWatch watch;
  AutogradCycles cycles; // outlives the values
  evaluator::EvaluatorOptions options;
  bool inProgram = false;
  options.onOperation = [&, run = cycles.hook()](const c10::OperatorHandle& op, torch::jit::Stack& stack) {
    if (inProgram) {
      watch.look(op, stack);
    }
    return run(op, stack);
  };
  if (!theCase.calls.empty() && theCase.calls.front().inputs) {
    const language::CallSpec& call = theCase.calls.front();
    try {
      evaluator::Evaluator evaluator(theCase, options);
      const evaluator::InputSet inputs = evaluator.makeInputs(*call.inputs, call.seed, call.kind);
      c10::AutoGradMode mode(call.gradMode == language::GradMode::kEnable);
      inProgram = true;
      evaluator.call("program", inputs.arguments);
    } catch (const std::exception&) {
      inProgram = false; // what was seen up to there counts
    }
  }
  return {watch.features.begin(), watch.features.end()};
}

} // namespace touchstone::features
