#include "generators/catalogue/Exclusions.h"
#include "generators/decoder/InputSpecification.h"

#include <algorithm>
#include <array>

namespace touchstone::decoder {

namespace {

using Gradient = BaseSpecification::Gradient;

/// The bases that exactly one argument looks at, so that a change of the base is a change of one argument.
bool hasOneUser(const InputSpecification& inputs, int base) {
  return std::count_if(inputs.arguments.begin(), inputs.arguments.end(),
                       [&](const ArgumentSpecification& argument) { return argument.base == base; }) == 1;
}

bool changeSize(InputSpecification& inputs, ArgumentSpecification& argument, catalogue::Draw& draw) {
  BaseSpecification& base = inputs.bases[argument.base];
  if (argument.layout == Layout::kExpanded && !argument.sizes.empty()) {
    for (size_t dimension = 0; dimension < base.sizes.size(); ++dimension) {
      if (base.sizes[dimension] == 1) {
        argument.sizes[dimension] += 1;
        return true;
      }
    }
    return false;
  }
  if (!hasOneUser(inputs, argument.base) || base.sizes.empty()) {
    return false;
  }
  if (argument.layout == Layout::kStrided) {
    if (argument.sizes.empty()) {
      return false;
    }
    argument.sizes[0] += 1;
    base.sizes[0] += argument.strides[0];
    return true;
  }
  int64_t& size = base.sizes[static_cast<size_t>(draw.below(static_cast<int64_t>(base.sizes.size())))];
  size = size == 1 ? 2 : size + 1;
  return true;
}

bool changeStrides(InputSpecification& inputs, ArgumentSpecification& argument, catalogue::Draw& draw) {
  BaseSpecification& base = inputs.bases[argument.base];
  if (!hasOneUser(inputs, argument.base)) {
    return false;
  }
  if (argument.layout == Layout::kPermuted) { // the same sizes, contiguous
    std::vector<int64_t> sizes;
    for (int64_t dimension : argument.sizes) {
      sizes.push_back(base.sizes[dimension]);
    }
    base.sizes = sizes;
    argument.layout = Layout::kWhole;
    argument.sizes.clear();
    return true;
  }
  if (argument.layout == Layout::kExpanded) {
    base.sizes = argument.sizes;
    argument.layout = Layout::kWhole;
    argument.sizes.clear();
    return true;
  }
  if (argument.layout == Layout::kWhole && base.sizes.size() >= 2 &&
      draw.chance(50)) { // the same sizes, reversed strides
    std::reverse(base.sizes.begin(), base.sizes.end());
    argument.layout = Layout::kPermuted;
    for (size_t dimension = base.sizes.size(); dimension-- > 0;) {
      argument.sizes.push_back(static_cast<int64_t>(dimension));
    }
    return true;
  }
  if (argument.layout == Layout::kWhole && !base.sizes.empty() && base.elements() > 0) { // a gap after each element
    argument.layout = Layout::kStrided;
    argument.sizes = base.sizes;
    argument.strides.assign(base.sizes.size(), 0);
    int64_t stride = 2;
    for (size_t dimension = base.sizes.size(); dimension-- > 0;) {
      argument.strides[dimension] = stride;
      stride *= base.sizes[dimension];
    }
    base.sizes = {stride};
    return true;
  }
  return false;
}

bool changeDtype(InputSpecification& inputs, ArgumentSpecification& argument, catalogue::Draw&) {
  BaseSpecification& base = inputs.bases[argument.base];
  if (!hasOneUser(inputs, argument.base) || argument.layout == Layout::kOtherDtype) {
    return false;
  }
  switch (base.dtype) {
    case at::kFloat: base.dtype = at::kDouble; return true;
    case at::kDouble: base.dtype = at::kFloat; return true;
    case at::kLong: base.dtype = at::kInt; return true;
    case at::kInt: base.dtype = at::kLong; return true;
    default: return false;
  }
}

bool changeRequiresGrad(InputSpecification& inputs, ArgumentSpecification& argument, catalogue::Draw& draw) {
  BaseSpecification& base = inputs.bases[argument.base];
  if ((!at::isFloatingType(base.dtype) && !at::isComplexType(base.dtype)) || argument.layout == Layout::kOtherDtype ||
      argument.layout == Layout::kDetached) {
    return false;
  }
  if (argument.becomesLeaf) {
    argument.becomesLeaf = false;
  } else if (base.gradient != Gradient::kNone) {
    base.gradient = Gradient::kNone;
  } else {
    base.gradient = draw.chance(50) ? Gradient::kLeaf : Gradient::kTimesOne;
    for (ArgumentSpecification& other : inputs.arguments) {
      other.becomesLeaf = other.becomesLeaf && other.base != argument.base;
    }
  }
  return true;
}

bool changeAliasing(InputSpecification& inputs, ArgumentSpecification& argument, catalogue::Draw& draw) {
  if (!hasOneUser(inputs, argument.base)) { // apart: a base of its own with the same geometry
    BaseSpecification base = inputs.bases[argument.base];
    base.number += 1000;
    argument.base = static_cast<int>(inputs.bases.size());
    argument.sameAs = -1;
    inputs.bases.push_back(std::move(base));
    return true;
  }
  // Together: another argument of the same sizes looks at this one's base, as the same geometry or the same tensor.
  for (size_t index = 0; index < inputs.arguments.size(); ++index) {
    ArgumentSpecification& other = inputs.arguments[index];
    if (other.base < 0 || other.base == argument.base || argument.layout != Layout::kWhole ||
        other.layout != Layout::kWhole) {
      continue;
    }
    const BaseSpecification& base = inputs.bases[argument.base];
    const BaseSpecification& target = inputs.bases[other.base];
    if (base.dtype == target.dtype && base.sizes == target.sizes && !argument.becomesLeaf && !other.becomesLeaf) {
      argument.base = other.base;
      if (draw.chance(50)) { // the same elements through another tensor
        argument.layout = Layout::kRows;
        argument.offset = 0;
        if (target.sizes.empty()) {
          argument.layout = Layout::kDetached;
        }
      }
      return true;
    }
  }
  return false;
}

bool changeOffset(InputSpecification& inputs, ArgumentSpecification& argument, catalogue::Draw&) {
  BaseSpecification& base = inputs.bases[argument.base];
  if (argument.layout == Layout::kStrided) {
    if (hasOneUser(inputs, argument.base)) {
      base.sizes[0] += 1;
      argument.offset += 1;
      return true;
    }
    if (argument.offset > 0) { // the overlap with the others shifts by one
      argument.offset -= 1;
      return true;
    }
    return false;
  }
  if (argument.layout == Layout::kRows && hasOneUser(inputs, argument.base)) {
    base.sizes[0] += 1;
    argument.offset += 1;
    return true;
  }
  if (argument.layout == Layout::kWhole && hasOneUser(inputs, argument.base) && !base.sizes.empty() &&
      !argument.becomesLeaf) {
    base.sizes[0] += 1;
    argument.layout = Layout::kRows;
    argument.offset = 1;
    return true;
  }
  return false;
}

void changeLiteralArgument(ArgumentSpecification& argument, const catalogue::Features&) {
  if (auto* whole = std::get_if<int64_t>(&argument.literal)) {
    *whole += 1;
  } else if (auto* number = std::get_if<double>(&argument.literal)) {
    *number += 0.25;
  } else {
    argument.literal = !std::get<bool>(argument.literal);
  }
}

using Change = bool (*)(InputSpecification&, ArgumentSpecification&, catalogue::Draw&);
constexpr std::array<Change, 6> kChanges = {changeSize,         changeStrides,  changeDtype,
                                            changeRequiresGrad, changeAliasing, changeOffset};

} // namespace

bool changeOneProperty(InputSpecification& inputs, catalogue::Draw& draw, const catalogue::Features& features) {
  if (inputs.module && draw.chance(15)) {
    BaseSpecification& changed = draw.chance(50) ? inputs.module->weight : inputs.module->buffer;
    if (changed.sizes.empty() || draw.chance(30)) {
      const at::ScalarType other = changed.dtype == at::kFloat  ? at::kDouble
                                   : changed.dtype == at::kLong ? at::kInt
                                                                : at::kFloat;
      if (features.exclusions != nullptr && features.exclusions->refuses(other)) {
        return false;
      }
      changed.dtype = other;
    } else {
      changed.sizes[0] += 1;
    }
    return true;
  }
  if (inputs.arguments.empty()) {
    return false;
  }
  ArgumentSpecification& argument =
      inputs.arguments[static_cast<size_t>(draw.below(static_cast<int64_t>(inputs.arguments.size())))];
  if (argument.base < 0) {
    changeLiteralArgument(argument, features);
    return true;
  }
  const Change change = kChanges[static_cast<size_t>(draw.below(kChanges.size()))];
  if ((change == changeRequiresGrad && !features.backward) || (change == changeAliasing && !features.aliasedInputs)) {
    return false;
  }
  if (argument.sameAs >= 0 && change != changeAliasing) {
    return false;
  }
  const at::ScalarType before = inputs.bases[static_cast<size_t>(argument.base)].dtype;
  if (!change(inputs, argument, draw)) {
    return false;
  }
  const at::ScalarType after = inputs.bases[static_cast<size_t>(argument.base)].dtype;
  return after == before || features.exclusions == nullptr || !features.exclusions->refuses(after);
}

} // namespace touchstone::decoder
