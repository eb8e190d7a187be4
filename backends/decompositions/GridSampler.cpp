#include "backends/decompositions/Families.h"

#include <ATen/ops/add.h>
#include <ATen/ops/gather.h>
#include <ATen/ops/logical_and.h>
#include <ATen/ops/minimum.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/sub.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

namespace touchstone::decompositions {
namespace {

// As ATen/native/GridSamplerUtils.h numbers them.
enum : int64_t { kBilinear = 0, kNearest = 1 };
enum : int64_t { kZeros = 0, kBorder = 1, kReflection = 2 };

/// Images and where they are read, in pixels.
struct Sampled {
  at::Tensor images; // batch, channel, pixel
  int64_t height;
  int64_t width;

  /// At whole rows and columns by batch and place; zero outside.
  at::Tensor at(const at::Tensor& rows, const at::Tensor& columns) const {
    const auto isInside = [](const at::Tensor& places, int64_t size) {
      return at::logical_and(places.ge(0), places.lt(size));
    };
    const at::Tensor inside = at::logical_and(isInside(rows, height), isInside(columns, width));
    const at::Tensor pixels = at::where(inside, at::add(rows.mul(width), columns), 0).to(at::kLong).unsqueeze(1);
    const at::Tensor values = at::gather(images, 2, pixels.expand({images.size(0), images.size(1), pixels.size(2)}));
    return at::where(inside.unsqueeze(1), values, at::zeros({}, values.options()));
  }
};

/// Places between -1 and 1 in pixels.
at::Tensor inPixels(const at::Tensor& places, int64_t size, bool alignsCorners) {
  const at::Tensor shifted = places.add(1);
  return alignsCorners ? at::mul(shifted, static_cast<double>(size - 1) / 2)
                       : at::mul(shifted, static_cast<double>(size) / 2).sub(0.5);
}

/// NaN goes to the first pixel.
at::Tensor clipped(const at::Tensor& pixels, int64_t size) {
  return at::where(pixels.gt(0), pixels, at::zeros({}, pixels.options())).clamp_max(size - 1);
}

at::Tensor reflected(const at::Tensor& pixels, int64_t size, bool alignsCorners) {
  const int64_t period = 2 * (alignsCorners ? size - 1 : size);
  if (period == 0) {
    return at::zeros_like(pixels);
  }
  const double low = alignsCorners ? 0 : -0.5;
  const at::Tensor distance = pixels.sub(low).abs();
  const at::Tensor extra = at::sub(distance, at::mul(distance.div(period).trunc(), period));
  return clipped(at::minimum(extra, extra.neg().add(period)).add(low), size);
}

at::Tensor withPadding(const at::Tensor& pixels, int64_t size, int64_t padding, bool alignsCorners) {
  switch (padding) {
    case kBorder: return clipped(pixels, size);
    case kReflection: return reflected(pixels, size, alignsCorners);
    default: return pixels;
  }
}

at::Tensor bilinear(const Sampled& sampled, const at::Tensor& rows, const at::Tensor& columns) {
  const at::Tensor top = rows.floor();
  const at::Tensor left = columns.floor();
  const at::Tensor fromTop = at::sub(rows, top);
  const at::Tensor fromLeft = at::sub(columns, left);
  const at::Tensor toBottom = at::sub(top.add(1), rows);
  const at::Tensor toRight = at::sub(left.add(1), columns);
  const auto term = [&](const at::Tensor& row, const at::Tensor& column, const at::Tensor& vertical,
                        const at::Tensor& horizontal) {
    return at::mul(sampled.at(row, column), at::mul(vertical, horizontal).unsqueeze(1));
  };
  const at::Tensor upper = at::add(term(top, left, toBottom, toRight), term(top, left.add(1), toBottom, fromLeft));
  return upper.add(term(top.add(1), left, fromTop, toRight)).add(term(top.add(1), left.add(1), fromTop, fromLeft));
}

at::Tensor gridSampler(const at::Tensor& input, const at::Tensor& grid, int64_t interpolation, int64_t padding,
                       bool alignsCorners) {
  const bool isWide = input.scalar_type() == at::kFloat || input.scalar_type() == at::kDouble;
  if (interpolation > kNearest || !isWide || input.scalar_type() != grid.scalar_type() || input.numel() == 0) {
    throw NotDecomposed("bicubic, of nothing and in low precision");
  }
  TORCH_CHECK(input.dim() == 4 && grid.dim() == 4 && grid.size(-1) == 2 && grid.size(0) == input.size(0),
              "grid_sampler: ", input.sizes(), " at ", grid.sizes());
  const Sampled sampled{input.reshape({input.size(0), input.size(1), -1}), input.size(2), input.size(3)};
  const auto pixels = [&](int64_t coordinate, int64_t size) {
    const at::Tensor places = grid.select(-1, coordinate).reshape({grid.size(0), -1});
    return withPadding(inPixels(places, size, alignsCorners), size, padding, alignsCorners);
  };
  const at::Tensor columns = pixels(0, sampled.width);
  const at::Tensor rows = pixels(1, sampled.height);
  const at::Tensor result =
      interpolation == kBilinear ? bilinear(sampled, rows, columns) : sampled.at(rows.round(), columns.round());
  return result.reshape({input.size(0), input.size(1), grid.size(1), grid.size(2)});
}

} // namespace

void addGridSampler(DecompositionTable& table) {
  table.add("aten::grid_sampler_2d", gridSampler);
}

} // namespace touchstone::decompositions
