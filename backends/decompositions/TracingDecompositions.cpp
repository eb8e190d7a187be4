#include "backends/decompositions/TracingDecompositions.h"

#include "backends/decompositions/AdvancedIndexing.h"
#include "backends/decompositions/Precision.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/_assert_async.h>
#include <ATen/ops/_unsafe_index.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/native_dropout.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/where.h>

#include <array>

namespace touchstone::decompositions {

namespace {

using Scale = std::optional<double>;

at::Tensor softshrink(const at::Tensor& self, const at::Scalar& lambda) {
  return at::where(self.abs().gt(lambda), self - self.sign() * lambda, self * 0);
}

at::Tensor oneHot(const at::Tensor& self, int64_t classes) {
  if (classes == -1) {
    throw NotDecomposed("the number of classes is read from data");
  }
  at::_assert_async(self.ge(0).all(), "one_hot: Class values must be non-negative.");
  at::_assert_async(self.lt(classes).all(), "one_hot: Class values must be smaller than num_classes.");
  return self.unsqueeze(-1).eq(at::arange(classes, self.options())).to(at::kLong);
}

/// How a dimension of `input` elements is resized to `output`.
struct ResizedDimension {
  int64_t input, output;
  Scale scale;
  bool alignsCorners = false;

  double step() const {
    if (alignsCorners) {
      return output > 1 ? static_cast<double>(input - 1) / static_cast<double>(output - 1) : 0;
    }
    return scale.has_value() && *scale > 0 ? 1.0 / *scale : static_cast<double>(input) / static_cast<double>(output);
  }
  /// Where the elements of the result lie among those of the input.
  at::Tensor places(const at::Tensor& like, at::ScalarType dtype) const {
    const at::Tensor positions = at::arange(output, at::TensorOptions(like.device())).to(dtype);
    if (alignsCorners) {
      return output > 1 ? positions * step() : positions * at::Scalar(0);
    }
    return (positions + 0.5) * step() - 0.5;
  }
};

std::vector<ResizedDimension> resized(const at::Tensor& self, at::IntArrayRef sizes, const std::vector<Scale>& scales,
                                      bool alignsCorners = false) {
  std::vector<ResizedDimension> dimensions;
  for (size_t i = 0; i < sizes.size(); ++i) {
    dimensions.push_back({self.size(static_cast<int64_t>(i) + 2), sizes[i], scales[i], alignsCorners});
  }
  return dimensions;
}

at::Tensor alongTrailing(at::Tensor vector, size_t dimensionsBehind) {
  for (size_t i = 0; i < dimensionsBehind; ++i) {
    vector = vector.unsqueeze(-1);
  }
  return vector;
}

at::Tensor picked(const at::Tensor& self, const std::vector<at::Tensor>& indices) {
  return at::_unsafe_index(self, indicesFrom(2, indices));
}

at::Tensor nearestNeighbours(const at::Tensor& given, at::IntArrayRef sizes, const std::vector<Scale>& scales,
                             double offset) {
  const Widened in(given);
  std::vector<at::Tensor> indices;
  for (const ResizedDimension& each : resized(given, sizes, scales)) {
    // Unlike the others it divides by the scaled size.
    const auto size = static_cast<double>(each.input);
    const bool isGiven = each.scale.has_value() && *each.scale > 0;
    const double step = isGiven ? size / (size * *each.scale) : size / static_cast<double>(each.output);
    const at::Tensor positions = at::arange(each.output, given.options().dtype(at::kFloat));
    indices.push_back(alongTrailing(((positions + offset) * step).to(at::kLong), sizes.size() - 1 - indices.size()));
  }
  const at::Tensor result = picked(in[0], indices);
  return in.narrow(result.dim() > 3 ? result.contiguous(in[0].suggest_memory_format()) : result);
}

at::ScalarType floatingDtype(const at::Tensor& tensor) {
  return at::isIntegralType(tensor.scalar_type(), true) ? at::kFloat : tensor.scalar_type();
}

at::Tensor linear(const at::Tensor& given, at::IntArrayRef sizes, bool alignsCorners,
                  const std::vector<Scale>& scales) {
  const Widened in(given);
  const at::ScalarType dtype = floatingDtype(in[0]);
  struct Places {
    at::Tensor exact, lower, upper;
  };
  std::vector<Places> places;
  for (const ResizedDimension& each : resized(given, sizes, scales, alignsCorners)) {
    const at::Tensor exact = alongTrailing(each.places(given, dtype).clamp(0.0), sizes.size() - 1 - places.size());
    const at::Tensor lower = exact.to(at::kLong);
    places.push_back({exact, lower, (lower + 1).clamp(std::nullopt, each.input - 1)});
  }
  std::vector<at::Tensor> corners; // the last dimension changes fastest
  for (size_t corner = 0; corner < size_t{1} << sizes.size(); ++corner) {
    std::vector<at::Tensor> indices;
    for (size_t i = 0; i < sizes.size(); ++i) {
      const bool isUpper = (corner >> (sizes.size() - 1 - i)) & 1;
      indices.push_back(isUpper ? places[i].upper : places[i].lower);
    }
    corners.push_back(picked(in[0], indices).to(dtype));
  }
  for (size_t i = sizes.size(); i-- > 0;) {
    const at::Tensor weight = (places[i].exact - places[i].lower).clamp(0.0, 1.0).to(dtype);
    std::vector<at::Tensor> blended;
    for (size_t j = 0; j < corners.size(); j += 2) {
      blended.push_back(corners[j] + (corners[j + 1] - corners[j]) * weight);
    }
    corners = std::move(blended);
  }
  at::Tensor result = corners[0].contiguous(in[0].suggest_memory_format());
  return in.narrow(in[0].is_floating_point() ? result : result.round());
}

constexpr double kCubic = -0.75;

std::array<at::Tensor, 4> cubicWeights(const at::Tensor& distance) {
  const at::Tensor near = at::stack({distance, 1.0 - distance}, 0);
  const at::Tensor far = at::stack({distance + 1.0, 2.0 - distance}, 0);
  const at::Tensor outer = ((far * kCubic - 5 * kCubic) * far + 8 * kCubic) * far - 4 * kCubic;
  const at::Tensor inner = (near * (kCubic + 2) - (kCubic + 3)) * near * near + 1;
  const std::vector<at::Tensor> ends = outer.unbind(0), middle = inner.unbind(0);
  return {ends[0], middle[0], middle[1], ends[1]};
}

at::Tensor weighted(const std::array<at::Tensor, 4>& values, const std::array<at::Tensor, 4>& weights) {
  at::Tensor sum = values[0] * weights[0];
  for (size_t i = 1; i < values.size(); ++i) {
    sum = sum + values[i] * weights[i];
  }
  return sum;
}

at::Tensor bicubic(const at::Tensor& given, at::IntArrayRef sizes, bool alignsCorners, Scale height, Scale width) {
  if (given.scalar_type() == at::kByte) {
    throw NotDecomposed("of bytes");
  }
  const Widened in(given);
  const std::vector<ResizedDimension> dimensions = resized(given, sizes, {height, width}, alignsCorners);
  const at::ScalarType dtype = floatingDtype(in[0]);
  const at::Tensor exactColumns = dimensions[1].places(given, dtype);
  const at::Tensor exactRows = dimensions[0].places(given, dtype).unsqueeze(-1);
  const at::Tensor floorColumns = exactColumns.floor(), floorRows = exactRows.floor();
  const auto rowWeights = cubicWeights((exactRows - floorRows).clamp(0.0, 1.0));
  const auto columnWeights = cubicWeights((exactColumns - floorColumns).clamp(0.0, 1.0));
  const at::Tensor columns = floorColumns.to(at::kLong), rows = floorRows.to(at::kLong);
  const auto around = [](const at::Tensor& at) { return std::array<at::Tensor, 4>{at - 1, at, at + 1, at + 2}; };
  std::array<at::Tensor, 4> lines;
  for (size_t i = 0; i < lines.size(); ++i) {
    std::array<at::Tensor, 4> values;
    for (size_t j = 0; j < values.size(); ++j) {
      values[j] = picked(in[0], {around(rows)[i].clamp(0, dimensions[0].input - 1),
                                 around(columns)[j].clamp(0, dimensions[1].input - 1)});
    }
    lines[i] = weighted(values, columnWeights);
  }
  return in.narrow(weighted(lines, rowWeights).contiguous(in[0].suggest_memory_format()));
}

/// The sizes of a result, given themselves or by factors.
std::vector<int64_t> sizesOf(const at::Tensor& self, at::OptionalIntArrayRef sizes,
                             std::optional<at::ArrayRef<double>> factors) {
  if (sizes.has_value()) {
    return sizes->vec();
  }
  if (!factors) {
    throw NotDecomposed("neither sizes nor factors are given");
  }
  std::vector<int64_t> scaled;
  for (size_t i = 0; i < factors->size(); ++i) {
    scaled.push_back(static_cast<int64_t>(static_cast<double>(self.size(static_cast<int64_t>(i) + 2)) * (*factors)[i]));
  }
  return scaled;
}

at::Tensor linearBy(const at::Tensor& self, at::OptionalIntArrayRef sizes, bool alignsCorners,
                    std::optional<at::ArrayRef<double>> factors) {
  const std::vector<int64_t> wanted = sizesOf(self, sizes, factors);
  std::vector<Scale> scales(wanted.size());
  for (size_t i = 0; factors && i < factors->size(); ++i) {
    scales[i] = (*factors)[i];
  }
  return linear(self, wanted, alignsCorners, scales);
}

void addNearest(DecompositionTable& table, const std::string& name, double offset) {
  table.add(name + "1d", [=](const at::Tensor& self, at::IntArrayRef sizes, Scale width) {
    return nearestNeighbours(self, sizes, {width}, offset);
  });
  table.add(name + "2d", [=](const at::Tensor& self, at::IntArrayRef sizes, Scale height, Scale width) {
    return nearestNeighbours(self, sizes, {height, width}, offset);
  });
  table.add(name + "3d", [=](const at::Tensor& self, at::IntArrayRef sizes, Scale depth, Scale height, Scale width) {
    return nearestNeighbours(self, sizes, {depth, height, width}, offset);
  });
}

void addLinear(DecompositionTable& table) {
  table.add("aten::upsample_bilinear2d",
            [](const at::Tensor& self, at::IntArrayRef sizes, bool alignsCorners, Scale height, Scale width) {
              return linear(self, sizes, alignsCorners, {height, width});
            });
  table.add("aten::upsample_linear1d.vec", linearBy);
  table.add("aten::upsample_bilinear2d.vec", linearBy);
  table.add("aten::upsample_trilinear3d.vec", linearBy);
}

} // namespace

std::shared_ptr<const DecompositionTable> tracingDecompositions() {
  static const auto kTable = [] {
    auto table = std::make_shared<DecompositionTable>();
    table->add("aten::hardshrink", [](const at::Tensor& self, const at::Scalar& lambda) {
      return at::where(self.abs().le(lambda), 0, self);
    });
    table->add("aten::softshrink", softshrink);
    table->add("aten::dropout", [](const at::Tensor& input, double p, bool train) {
      return train && p != 0 ? std::get<0>(at::native_dropout(input, p, train)) : input.clone();
    });
    table->add("aten::one_hot", oneHot);
    table->add("aten::native_batch_norm", batchNorm);
    addNearest(*table, "aten::upsample_nearest", 0.0);
    addNearest(*table, "aten::_upsample_nearest_exact", 0.5);
    addLinear(*table);
    table->add("aten::upsample_bicubic2d", bicubic);
    return table;
  }();
  return kTable;
}

} // namespace touchstone::decompositions
