#include "oracles/stages/ReplayComparison.h"

#include "oracles/compare/CompareValues.h"
#include "oracles/evidence/RoundingBound.h"
#include "oracles/observe/TensorBytes.h"

#include <fmt/format.h>

#include <algorithm>

namespace touchstone::stages {

namespace {

constexpr uint64_t kPerturbedStageRuns = 4;

std::string sizesText(at::IntArrayRef numbers) {
  return fmt::format("[{}]", fmt::join(numbers, ", "));
}

bool stridesMatterAndDiffer(const at::Tensor& left, const at::Tensor& right) {
  if (left.numel() <= 1) {
    return false;
  }
  for (int64_t dimension = 0; dimension < left.dim(); ++dimension) {
    if (left.size(dimension) > 1 && left.stride(dimension) != right.stride(dimension)) {
      return true;
    }
  }
  return false;
}

/// Of the elements that differ bit for bit, those beyond what rounding explains.
std::vector<int64_t> beyondRounding(std::vector<int64_t> differing, const at::Tensor& expected, const at::Tensor& found,
                                    size_t position, const ReplayComparison& comparison) {
  if (differing.empty() || !comparison.perturbed) {
    return differing;
  }
  evidence::RoundingEvidence evidence;
  for (uint64_t seed = 1; seed <= kPerturbedStageRuns; ++seed) {
    const std::vector<at::Tensor> run = comparison.perturbed(seed);
    if (position < run.size() && run[position].defined() && run[position].sizes() == expected.sizes()) {
      evidence.perturbed.push_back(observe::copyOfValues(run[position]));
    }
  }
  return evidence::applyBound(expected, found, differing, evidence).beyond;
}

/// Empty: there is none.
std::string differenceOf(const at::Tensor& expected, const at::Tensor& found, size_t position,
                         const ReplayComparison& comparison) {
  const auto told = [&](const std::string& one, const std::string& other) {
    return fmt::format(": {} by {}, {} by {}", one, comparison.expected, other, comparison.found);
  };
  if (expected.defined() != found.defined()) {
    const auto presence = [](const at::Tensor& tensor) { return tensor.defined() ? "a tensor" : "None"; };
    return told(presence(expected), presence(found));
  }
  if (!expected.defined()) {
    return "";
  }
  if (expected.dtype() != found.dtype()) {
    return told(std::string(expected.dtype().name()), std::string(found.dtype().name()));
  }
  if (expected.sizes() != found.sizes()) {
    return " of size" + told(sizesText(expected.sizes()), sizesText(found.sizes()));
  }
  if (comparison.strides && stridesMatterAndDiffer(expected, found)) {
    return " with strides" + told(sizesText(expected.strides()), sizesText(found.strides()));
  }
  const at::Tensor one = observe::copyOfValues(expected), other = observe::copyOfValues(found);
  const std::vector<int64_t> beyond =
      beyondRounding(compare::differingElements(one, other), one, other, position, comparison);
  if (beyond.empty()) {
    return "";
  }
  return compare::positionText(one.sizes(), beyond[0]) +
         told(compare::elementText(one, beyond[0]), compare::elementText(other, beyond[0])) +
         fmt::format("; {} of {} elements differ", beyond.size(), one.numel());
}

} // namespace

std::string firstDifference(const std::vector<at::Tensor>& expected, const std::vector<at::Tensor>& found,
                            const std::function<std::string(size_t position)>& nameOf,
                            const ReplayComparison& comparison) {
  if (expected.size() != found.size()) {
    return fmt::format("{} results by {}, {} by {}", expected.size(), comparison.expected, found.size(),
                       comparison.found);
  }
  for (size_t i = 0; i < expected.size(); ++i) {
    const std::string difference = differenceOf(expected[i], found[i], i, comparison);
    if (!difference.empty()) {
      return nameOf(i) + difference;
    }
  }
  return "";
}

std::string firstDifferenceOfPlace(const std::vector<at::Tensor>& expected, const std::vector<at::Tensor>& found,
                                   const std::function<std::string(size_t position)>& nameOf,
                                   const ReplayComparison& comparison) {
  const auto lies = [&](size_t i) {
    return i < std::min(expected.size(), found.size()) && expected[i].defined() && found[i].defined() &&
           expected[i].numel() > 0 && expected[i].has_storage() && found[i].has_storage();
  };
  const auto shares = [](const at::Tensor& left, const at::Tensor& right) {
    return left.storage().is_alias_of(right.storage());
  };
  for (size_t i = 0; i < expected.size(); ++i) {
    if (!lies(i)) {
      continue;
    }
    if (expected[i].storage_offset() != found[i].storage_offset()) {
      return fmt::format("{} begins at element {} of its memory by {}, at {} by {}", nameOf(i),
                         expected[i].storage_offset(), comparison.expected, found[i].storage_offset(),
                         comparison.found);
    }
    for (size_t j = 0; j < i; ++j) {
      if (lies(j) && shares(expected[i], expected[j]) != shares(found[i], found[j])) {
        return fmt::format("{} shares memory with {} by {} alone", nameOf(i), nameOf(j),
                           shares(found[i], found[j]) ? comparison.found : comparison.expected);
      }
    }
  }
  return "";
}

bool sameBits(const at::Tensor& left, const at::Tensor& right) {
  return differenceOf(left, right, 0, {.strides = false}).empty();
}

} // namespace touchstone::stages
