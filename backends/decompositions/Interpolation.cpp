#include "backends/decompositions/AdvancedIndexing.h"
#include "backends/decompositions/Families.h"

#include <ATen/OpMathType.h>
#include <ATen/ops/add.h>
#include <ATen/ops/addcmul.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/full.h>
#include <ATen/ops/index.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/rsub.h>

namespace touchstone::decompositions {
namespace {

using Scale = std::optional<double>;

/// One dimension that changes from `input` to `output` elements.
struct Resized {
  int64_t input;
  int64_t output;
  Scale scale;
  at::ScalarType dtype;

  /// Input elements by output element, rounded to the dtype.
  double step() const {
    const bool isGiven = scale.has_value() && *scale > 0;
    if (dtype == at::kDouble) {
      return isGiven ? 1.0 / *scale : static_cast<double>(input) / static_cast<double>(output);
    }
    return isGiven ? static_cast<float>(1.0 / *scale) : static_cast<float>(input) / static_cast<float>(output);
  }
  at::Tensor positions(const at::Tensor& like) const {
    return at::arange(output, at::TensorOptions(like.device()).dtype(dtype));
  }
  /// The element at these places, rounded down.
  at::Tensor elements(const at::Tensor& places) const {
    return places.to(at::kFloat).floor().to(at::kLong).clamp_max(input - 1);
  }
};

enum class Nearest { kLower, kExact };

/// Two dimensions, and what has more than three channels that lie side by side, have kernels of their own.
struct NearestKernel {
  bool isOwn;
  Nearest nearest;

  at::Tensor elements(const Resized& dim, const at::Tensor& like) const {
    const at::Tensor positions = dim.positions(like);
    if (nearest == Nearest::kExact) {
      const at::Tensor centres = at::mul(positions.add(0.5), dim.step());
      return dim.elements(isOwn ? centres : centres.sub(0.5).add(0.5));
    }
    if (isOwn && dim.output == dim.input) {
      return counting(dim.output, like);
    }
    if (isOwn && dim.output == 2 * dim.input) {
      return counting(dim.output, like).div(2, "floor");
    }
    return dim.elements(at::mul(positions, dim.step()));
  }
};

bool hasChannelsSideBySide(const at::Tensor& self) {
  const auto format = self.suggest_memory_format();
  return self.size(1) > 3 && (format == at::MemoryFormat::ChannelsLast || format == at::MemoryFormat::ChannelsLast3d);
}

at::Tensor nearestNeighbours(const at::Tensor& self, at::IntArrayRef sizes, const std::vector<Scale>& scales,
                             Nearest nearest) {
  const auto dimensions = static_cast<int64_t>(sizes.size());
  TORCH_CHECK(self.dim() == dimensions + 2 && sizes.size() == scales.size(), "interpolation of ", self.sizes(), " to ",
              sizes);
  const bool isOwn = hasChannelsSideBySide(self) || (dimensions == 2 && nearest == Nearest::kLower);
  const NearestKernel kernel{isOwn, nearest};
  const at::ScalarType dtype = !isOwn && self.scalar_type() == at::kDouble ? at::kDouble : at::kFloat;
  std::vector<at::Tensor> indices;
  for (int64_t i = 0; i < dimensions; ++i) {
    const auto at = static_cast<size_t>(i);
    const Resized resized{self.size(i + 2), sizes[at], scales[at], dtype};
    indices.push_back(alongDimension(kernel.elements(resized, self), i, dimensions));
  }
  return at::index(self, indicesFrom(2, indices));
}

/// Where the elements of the result lie among those of the input.
at::Tensor linearPlaces(const Resized& dim, const at::Tensor& like, bool alignsCorners) {
  const at::Tensor positions = dim.positions(like);
  if (dim.input == dim.output) {
    return positions;
  }
  if (!alignsCorners) {
    const at::Tensor half = at::full({}, -0.5, positions.options());
    return at::add(half, positions.add(0.5), dim.step()).clamp_min(0); // rounded once
  }
  const double step = dim.output > 1 ? static_cast<double>(dim.input - 1) / static_cast<double>(dim.output - 1) : 0;
  return at::mul(positions, dim.dtype == at::kDouble ? step : static_cast<float>(step));
}

/// Weights are rounded to the dtype of what they weigh.
at::Tensor linear(const at::Tensor& self, at::IntArrayRef sizes, bool alignsCorners, Scale scale) {
  TORCH_CHECK(self.dim() == 3 && sizes.size() == 1, "interpolation of ", self.sizes(), " to ", sizes);
  if (!self.is_floating_point()) {
    throw NotDecomposed("of whole numbers");
  }
  const auto dtype = at::toOpMathType(self.scalar_type());
  const Resized dim{self.size(2), sizes[0], alignsCorners ? Scale() : scale, dtype};
  const at::Tensor places = linearPlaces(dim, self, alignsCorners);
  const at::Tensor lower = dim.elements(places);
  const at::Tensor upper = dim.input == dim.output ? lower : lower.add(1).clamp_max(dim.input - 1);
  const at::Tensor weight = places.sub(lower.to(dtype)).clamp(0, 1);
  const at::Tensor rounded = weight.to(self.scalar_type()).to(dtype);
  const at::Tensor rest = at::rsub(rounded, 1).to(self.scalar_type()).to(dtype);
  const auto at = [&](const at::Tensor& elements) { return at::index(self, indicesFrom(2, {elements})).to(dtype); };
  return at::addcmul(at::mul(at(upper), rounded), at(lower), rest).to(self.scalar_type());
}

template <Nearest nearest>
void addNearest(DecompositionTable& table, const std::string& name) {
  table.add(name + "1d", [](const at::Tensor& self, at::IntArrayRef sizes, Scale width) {
    return nearestNeighbours(self, sizes, {width}, nearest);
  });
  table.add(name + "2d", [](const at::Tensor& self, at::IntArrayRef sizes, Scale height, Scale width) {
    return nearestNeighbours(self, sizes, {height, width}, nearest);
  });
  table.add(name + "3d", [](const at::Tensor& self, at::IntArrayRef sizes, Scale depth, Scale height, Scale width) {
    return nearestNeighbours(self, sizes, {depth, height, width}, nearest);
  });
}

} // namespace

void addInterpolation(DecompositionTable& table) {
  addNearest<Nearest::kLower>(table, "aten::upsample_nearest");
  addNearest<Nearest::kExact>(table, "aten::_upsample_nearest_exact");
  table.add("aten::upsample_linear1d", linear);
}

} // namespace touchstone::decompositions
