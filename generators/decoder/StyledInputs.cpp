#include "generators/decoder/StyledInputs.h"

#include "generators/catalogue/Exclusions.h"
#include "generators/decoder/TrainingProgram.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace touchstone::decoder {

namespace {

using Gradient = BaseSpecification::Gradient;

constexpr size_t kKeptArguments = 2; // of those that records draw
constexpr int64_t kFirstLeafNumber = 1100; // of the tensors' data: records draw smaller ones

at::ScalarType drawLeafDtype(catalogue::Draw& draw, const catalogue::Features& features) {
  const int64_t roll = draw.below(100);
  const at::ScalarType drawn = roll < 82                         ? at::kFloat
                               : roll < 95 || features.exactOnly ? at::kDouble
                               : roll < 98                       ? at::kBFloat16
                                                                 : at::kComplexFloat;
  return features.exclusions != nullptr && features.exclusions->refuses(drawn) ? at::kFloat : drawn;
}

std::vector<int64_t> drawLeafShape(catalogue::Draw& draw, int64_t maximumElements, int maximumRank) {
  constexpr int64_t kRanks[] = {1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 4, 4, 4, 5};
  constexpr int64_t kExtents[] = {2, 2, 3, 3, 4, 5};
  std::vector<int64_t> sizes(static_cast<size_t>(std::min<int64_t>(kRanks[draw.below(20)], maximumRank)));
  int64_t elements = 1;
  for (int64_t& size : sizes) {
    size = sizes.size() > 3 ? 2 : kExtents[draw.below(6)];
    if (elements * size > maximumElements / 2) {
      size = 2;
    }
    if (elements * size > maximumElements) {
      size = 1;
    }
    elements *= size;
  }
  return sizes;
}

/// A shape that goes with `shape`: itself, with dimensions of one, with fewer dimensions, or the right side of a product.
std::vector<int64_t> drawPartner(catalogue::Draw& draw, const std::vector<int64_t>& shape, int64_t maximumElements) {
  std::vector<int64_t> sizes = shape;
  const int64_t roll = draw.below(100);
  if (shape.empty() || roll < 30) {
    return sizes;
  }
  if (roll < 48) { // broadcasts over one dimension
    sizes[static_cast<size_t>(draw.below(static_cast<int64_t>(sizes.size())))] = 1;
  } else if (roll < 60) { // over all but one
    const auto kept = static_cast<size_t>(draw.below(static_cast<int64_t>(sizes.size())));
    for (size_t index = 0; index < sizes.size(); ++index) {
      sizes[index] = index == kept ? sizes[index] : 1;
    }
  } else if (roll < 75) { // over the first ones
    sizes.erase(sizes.begin(), sizes.begin() + draw.between(1, static_cast<int64_t>(sizes.size())));
  } else if (roll < 90 && sizes.size() == 2) {
    sizes = {shape[1], std::min(draw.between(2, 4), std::max<int64_t>(maximumElements / shape[1], 1))};
  }
  return sizes;
}

bool mayBeJoined(const Variable& variable) {
  return variable.value.isTensor() && variable.value.tensor().requires_grad() &&
         variable.value.tensor().is_floating_point() && !variable.value.tensor().is_inference();
}

/// Appends `y = VALUE` where eager takes it and what it gives is as small and as short as what is drawn; false: not.
bool appendJoin(DecoderState& state, const std::string& value) {
  const auto isWanted = [&](const at::Tensor& made) { return isWithinBounds(state, made); };
  if (appendWritten(state, state.newName() + " = " + value, Region::kNone, isWanted)) {
    return true;
  }
  --state.nextName; // they do not broadcast: the name is for the next try
  return false;
}

/// Makes what is drawn a view of a base of another order of dimensions, and that the leaf.
void permute(BaseSpecification& base, ArgumentSpecification& argument, const std::vector<int64_t>& order) {
  const std::vector<int64_t> sizes = base.sizes;
  for (size_t dimension = 0; dimension < order.size(); ++dimension) {
    base.sizes[static_cast<size_t>(order[dimension])] = sizes[dimension];
  }
  base.gradient = Gradient::kNone;
  argument.becomesLeaf = true;
  argument.layout = Layout::kPermuted;
  argument.sizes = order;
}

} // namespace

void addLeaves(InputSpecification& inputs, uint64_t seed, const catalogue::Features& features, int64_t maximumElements,
               int maximumRank) {
  if (!features.wantsGradients() || maximumRank < 1) {
    return;
  }
  const bool hasFloats = features.exclusions == nullptr ||
                         (!features.exclusions->excludes(at::kFloat) && !features.exclusions->excludes(at::kDouble));
  if (features.style == catalogue::Style::kTraining && maximumRank >= 2 && hasFloats) {
    makeTrainingInputs(inputs, seed, features, maximumElements);
    return;
  }
  catalogue::Draw draw(seed, "leaves");
  const at::ScalarType dtype = drawLeafDtype(draw, features);
  if (features.exclusions != nullptr && features.exclusions->excludes(dtype)) {
    return;
  }
  if (inputs.arguments.size() > kKeptArguments) {
    inputs.arguments.resize(kKeptArguments);
  }
  std::vector<int64_t> shape = drawLeafShape(draw, maximumElements, maximumRank);
  if (features.large) {
    enlarge(shape, largeExtent(seed), maximumElements);
  }
  const int64_t count = draw.between(3, 5);
  for (int64_t leaf = 0; leaf < count; ++leaf) {
    BaseSpecification base;
    base.number = kFirstLeafNumber + leaf;
    base.dtype = dtype;
    base.sizes = leaf < 2 ? shape : drawPartner(draw, shape, maximumElements);
    ArgumentSpecification argument;
    argument.base = static_cast<int>(inputs.bases.size());
    base.gradient = Gradient::kLeaf;
    const int64_t roll = draw.below(100);
    if (leaf >= 2 && roll < 25) { // one that the Program may write to
      base.gradient = roll < 13 ? Gradient::kTimesOne : Gradient::kClone;
    } else if (base.sizes.size() >= 4 && roll >= 60) { // channels last
      std::vector<int64_t> order(base.sizes.size());
      std::iota(order.begin() + 1, order.end(), int64_t{0});
      order[0] = 0;
      order[1] = static_cast<int64_t>(order.size()) - 1;
      permute(base, argument, order);
    } else if (base.sizes.size() >= 2 && roll >= 88) { // not contiguous
      std::vector<int64_t> order(base.sizes.size());
      std::iota(order.rbegin(), order.rend(), int64_t{0});
      permute(base, argument, order);
    }
    inputs.bases.push_back(std::move(base));
    inputs.arguments.push_back(std::move(argument));
  }
}

void joinUnreadLeaves(DecoderState& state, uint64_t seed) {
  if (!state.options.features.wantsGradients()) {
    return;
  }
  constexpr std::string_view kJoins[] = {"{} + {}", "torch.sub({}, {})", "torch.maximum({}, {})", "{} * {}"};
  const size_t joins = state.options.features.exactOnly ? 2 : std::size(kJoins); // a product has more digits
  catalogue::Draw draw(seed, "join leaves");
  for (size_t leaf = 0; leaf < state.variables.size() && state.variables[leaf].isInput; ++leaf) {
    if (!mayBeJoined(state.variables[leaf]) || state.variables[leaf].uses > 0 || draw.chance(15)) {
      continue;
    }
    for (size_t index = state.variables.size(); index-- > 0;) {
      const Variable& other = state.variables[index];
      if (index == leaf || !mayBeJoined(other) || (other.isInput && draw.chance(50)) ||
          other.value.tensor().scalar_type() != state.variables[leaf].value.tensor().scalar_type()) {
        continue;
      }
      if (appendJoin(state, fmt::format(fmt::runtime(kJoins[draw.below(static_cast<int64_t>(joins))]), other.name,
                                        state.variables[leaf].name))) {
        break;
      }
    }
  }
}

int64_t largeExtent(uint64_t seed) {
  constexpr int64_t kExtents[] = {7, 8, 9, 15, 16, 17, 31, 33, 63, 64, 65, 127, 129, 511, 1000, 1025};
  return kExtents[catalogue::Draw(seed, "large extent").below(std::size(kExtents))];
}

void enlarge(std::vector<int64_t>& sizes, int64_t extent, int64_t maximumElements) {
  int64_t others = 1;
  for (size_t index = 0; index + 1 < sizes.size(); ++index) {
    others *= sizes[index];
  }
  if (!sizes.empty() && others * extent <= maximumElements) {
    sizes.back() = extent;
  }
}

} // namespace touchstone::decoder
