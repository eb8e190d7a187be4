#include "oracles/stages/DecompositionLaws.h"

#include "oracles/compare/CompareValues.h"
#include "oracles/evidence/Precision.h"
#include "oracles/evidence/RoundingBound.h"
#include "program/values/TensorWalk.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>
#include <c10/util/Exception.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <sstream>

namespace touchstone::stages {

namespace {

constexpr uint64_t kPerturbedRuns = 4;

using torch::jit::Stack;
using Change = std::function<at::Tensor(const at::Tensor&)>;

Stack changed(const Stack& stack, const Change& change) {
  Stack result;
  for (const c10::IValue& value : stack) {
    result.push_back(values::mapTensors(
        value, [&](const at::Tensor& tensor) { return tensor.defined() ? change(tensor) : tensor; }));
  }
  return result;
}

std::vector<at::Tensor> tensorsIn(const Stack& stack) {
  std::vector<at::Tensor> tensors;
  for (const c10::IValue& value : stack) {
    values::forEachTensor(value, [&](const at::Tensor& tensor) { tensors.push_back(tensor); });
  }
  return tensors;
}

bool isFloat(const at::Tensor& tensor) {
  return tensor.is_floating_point() || tensor.is_complex();
}

/// The same values with an element's room between two neighbours.
at::Tensor withGaps(const at::Tensor& tensor) {
  if (tensor.dim() == 0) {
    return tensor;
  }
  std::vector<int64_t> sizes = tensor.sizes().vec();
  sizes.back() *= 2;
  return at::empty(sizes, tensor.options()).slice(-1, 0, sizes.back(), 2).copy_(tensor);
}

/// Values that kernels treat on their own, among those that are there.
at::Tensor withSpecialValues(const at::Tensor& tensor) {
  if (!isFloat(tensor) || tensor.numel() == 0) {
    return tensor;
  }
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr std::array kValues{std::numeric_limits<double>::quiet_NaN(), kInfinity, -0.0, -kInfinity};
  at::Tensor copy = tensor.clone(at::MemoryFormat::Contiguous);
  at::Tensor flat = copy.view({-1});
  for (int64_t i = 0; i < flat.numel(); i += 2) {
    flat[i].fill_(kValues[static_cast<size_t>(i / 2) % kValues.size()]);
  }
  return copy;
}

at::Tensor inDouble(const at::Tensor& tensor) {
  return isFloat(tensor) ? tensor.to(tensor.is_complex() ? at::kComplexDouble : at::kDouble) : tensor;
}

/// A unit in the last place of the largest finite number among the operands: what a sum inside an operator may round by.
at::Tensor unitOfTheLargest(const Stack& operands, const at::Tensor& like) {
  double largest = 0;
  for (const at::Tensor& tensor : tensorsIn(operands)) {
    if (tensor.defined() && tensor.numel() > 0 && isFloat(tensor)) {
      const at::Tensor sizes = tensor.abs().to(at::kDouble);
      largest = std::max(largest, sizes.masked_fill(sizes.isfinite().logical_not(), 0).max().item<double>());
    }
  }
  const at::Tensor number = at::full({}, largest, like.options().dtype(c10::toRealValueType(like.scalar_type())));
  return (evidence::perturbedByUlp(number, 1) - number).abs();
}

/// What the operator gives; none: it raises.
std::optional<std::vector<at::Tensor>> resultsOf(const c10::OperatorHandle& op, Stack stack) {
  try {
    op.callBoxed(&stack);
    return tensorsIn(stack);
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

std::string describe(const Stack& stack) {
  std::vector<std::string> parts;
  for (const c10::IValue& value : stack) {
    values::forEachTensor(value, [&](const at::Tensor& tensor) {
      parts.push_back(tensor.defined() ? fmt::format("{}{}", c10::toString(tensor.scalar_type()), tensor.sizes().vec())
                                       : "None");
    });
    if (!value.isTensor() && !value.isList()) {
      std::ostringstream text;
      text << value;
      parts.push_back(text.str());
    }
  }
  return fmt::format("({})", fmt::join(parts, ", "));
}

} // namespace

/// True when the call was compared.
bool DecompositionCheck::compare(const std::string& target, const c10::OperatorHandle& op, const Stack& arguments,
                                 const char* how) {
  const auto eager = resultsOf(op, arguments);
  if (!eager) {
    return false;
  }
  Tally& tally = tallies_[target];
  const auto breach = [&](const std::string& text) {
    tally.breaches.push_back(fmt::format("`{}`{}{}: {}", target, describe(arguments), how, text));
  };
  Stack stack = arguments;
  try {
    if (!compute_(target, stack)) {
      return false;
    }
  } catch (const std::exception& error) {
    breach(fmt::format("raises where the operator returns: {}", error.what()));
    return true;
  }
  const std::vector<at::Tensor> other = tensorsIn(stack);
  if (other.size() != eager->size()) {
    breach(fmt::format("{} tensors instead of {}", other.size(), eager->size()));
    return true;
  }
  std::optional<std::vector<at::Tensor>> wide;
  std::vector<std::vector<at::Tensor>> moved;
  for (size_t i = 0; i < other.size(); ++i) {
    const at::Tensor &expected = (*eager)[i], &made = other[i];
    if (expected.defined() != made.defined()) {
      breach(fmt::format("result {} is {}", i, made.defined() ? "a tensor instead of None" : "None"));
      continue;
    }
    if (!expected.defined()) {
      continue;
    }
    if (expected.scalar_type() != made.scalar_type() || expected.sizes() != made.sizes()) {
      breach(fmt::format("result {} is {}{} instead of {}{}", i, c10::toString(made.scalar_type()), made.sizes().vec(),
                         c10::toString(expected.scalar_type()), expected.sizes().vec()));
      continue;
    }
    const at::Tensor known = expected.resolve_conj().resolve_neg().contiguous();
    const at::Tensor found = made.resolve_conj().resolve_neg().contiguous();
    const std::vector<int64_t> differing = compare::differingElements(known, found);
    if (differing.empty()) {
      continue;
    }
    ++tally.rounded;
    if (moved.empty()) {
      wide = resultsOf(op, changed(arguments, inDouble));
      for (uint64_t seed = 1; seed <= kPerturbedRuns; ++seed) {
        const auto run = resultsOf(
            op, changed(arguments, [&](const at::Tensor& each) { return evidence::perturbedByUlp(each, seed); }));
        moved.push_back(run.value_or(std::vector<at::Tensor>(eager->size())));
      }
    }
    evidence::RoundingEvidence evidence;
    if (wide && wide->size() == eager->size()) {
      evidence.inDouble = (*wide)[i];
    }
    for (const std::vector<at::Tensor>& each : moved) {
      evidence.perturbed.push_back(each[i]);
    }
    if (isFloat(known)) {
      evidence.perturbed.push_back(known + unitOfTheLargest(arguments, known));
    }
    const evidence::BoundedElements bounded = evidence::applyBound(known, found, differing, evidence);
    if (!bounded.beyond.empty()) {
      breach(fmt::format("result {} at {}", i, compare::differenceText(known, found, bounded.beyond)));
    }
  }
  return true;
}

void DecompositionCheck::onOperator(const ir::Node& node, const c10::OperatorHandle& op, Stack& stack,
                                    const std::function<void()>& next) {
  if (!op.schema().is_mutable()) {
    const Stack given = stack;
    if (compare(node.target, op, given, "")) {
      Tally& tally = tallies_[node.target];
      ++tally.calls;
      const std::vector<at::Tensor> operands = tensorsIn(given);
      tally.empty += std::any_of(operands.begin(), operands.end(),
                                 [](const at::Tensor& tensor) { return tensor.defined() && tensor.numel() == 0; });
      const bool gaps = compare(node.target, op, changed(given, withGaps), " in memory with gaps");
      const bool special = compare(node.target, op, changed(given, withSpecialValues), " with special values");
      tally.withGaps += gaps ? 1 : 0;
      tally.notFinite += special ? 1 : 0;
    }
  }
  next();
}

} // namespace touchstone::stages
