#include "program/torch_names/HandWritten.h"
#include "program/torch_names/OperatorCall.h"

#include <fmt/format.h>

#include <algorithm>

// Padding, folding, interpolation and sampling of torch/nn/functional.py, each after the function of its name there.
namespace touchstone::torch_names {
namespace {

values::Value pairOf(const values::Value& value) {
  return value.items() ? value : values::Value::tuple({value, value});
}

values::Value unfold(const HandArguments& a, const Python& python) {
  return python.nn("im2col", {a[0], pairOf(a[1]), pairOf(a[2]), pairOf(a[3]), pairOf(a[4])});
}

values::Value fold(const HandArguments& a, const Python& python) {
  return python.nn("col2im", {a[0], pairOf(a[1]), pairOf(a[2]), pairOf(a[3]), pairOf(a[4]), pairOf(a[5])});
}

bool isInteger(const values::Value& value) {
  return value.is<int64_t>() || value.is<bool>() ||
         (value.isTensor() && !at::isFloatingType(value.tensor().scalar_type()));
}

struct Scaling {
  values::Value size; // of the output, or None
  values::Value factors; // or None
};

// The texts in which a list of the wrong length is refused.
constexpr const char* kWrongSize =
    "Input and output must have the same number of spatial dimensions, but got input with spatial dimensions of {} and "
    "output size of {}. Please provide input tensor in (N, C, d1, d2, ...,dK) format and output size in (o1, o2, "
    "...,oK) format.";
constexpr const char* kWrongFactors =
    "Input and scale_factor must have the same number of spatial dimensions, but got input with spatial dimensions of "
    "{} and scale_factor of shape {}. Please provide input tensor in (N, C, d1, d2, ...,dK) format and scale_factor in "
    "(s1, s2, ...,sK) format.";

values::Value forEachDimension(const values::Value& value, const at::Tensor& input, const char* wrong) {
  const int64_t dims = input.dim() - 2;
  if (const values::ValueList* items = value.items()) {
    if (static_cast<int64_t>(items->size()) != dims) {
      values::ValueList spatial;
      for (int64_t i = 2; i < input.dim(); ++i) {
        spatial.push_back(number(input.size(i)));
      }
      raise("ValueError", fmt::format(fmt::runtime(wrong), shown(values::Value::list(spatial)), shown(value)));
    }
    return value;
  }
  return values::Value::list(values::ValueList(std::max<int64_t>(dims, 0), value));
}

Scaling scalingOf(const HandArguments& a, const std::string& mode) {
  const int64_t dims = a.tensor(0).dim() - 2;
  Scaling scaling;
  if (!a[1].isNone() && !a[2].isNone()) {
    raise("ValueError", "only one of size or scale_factor should be defined");
  }
  if (!a[1].isNone()) {
    scaling.size = forEachDimension(a[1], a.tensor(0), kWrongSize);
    if (a[1].items() && !std::all_of(a[1].items()->begin(), a[1].items()->end(), isInteger)) {
      raise("TypeError", "expected size to be one of int or Tuple[int] or Tuple[int, int] or Tuple[int, int, int]");
    }
  } else if (!a[2].isNone()) {
    scaling.factors = forEachDimension(a[2], a.tensor(0), kWrongFactors);
  } else {
    raise("ValueError", "either size or scale_factor should be defined");
  }
  if (a.truth(5) && !a[1].isNone()) {
    raise("ValueError", "recompute_scale_factor is not meaningful with an explicit size.");
  }
  if (a.truth(5) || (mode == "area" && scaling.size.isNone())) {
    values::ValueList sizes;
    for (int64_t i = 0; i < dims; ++i) {
      const double factor = toScalar((*scaling.factors.items())[i]).toDouble();
      sizes.push_back(number(static_cast<int64_t>(static_cast<double>(a.tensor(0).size(i + 2)) * factor)));
    }
    scaling = {values::Value::list(std::move(sizes)), values::Value()};
  }
  return scaling;
}

/// One kernel of interpolate: for a mode and a number of dimensions.
struct Resampler {
  const char* mode;
  int64_t dims;
  bool antialias;
  const char* name;
  bool takesCorners;
};

constexpr Resampler kResamplers[] = {
    {"nearest", 3, false, "upsample_nearest1d", false},
    {"nearest", 4, false, "upsample_nearest2d", false},
    {"nearest", 5, false, "upsample_nearest3d", false},
    {"nearest-exact", 3, false, "_upsample_nearest_exact1d", false},
    {"nearest-exact", 4, false, "_upsample_nearest_exact2d", false},
    {"nearest-exact", 5, false, "_upsample_nearest_exact3d", false},
    {"linear", 3, false, "upsample_linear1d", true},
    {"bilinear", 4, false, "upsample_bilinear2d", true},
    {"bilinear", 4, true, "_upsample_bilinear2d_aa", true},
    {"trilinear", 5, false, "upsample_trilinear3d", true},
    {"bicubic", 4, false, "upsample_bicubic2d", true},
    {"bicubic", 4, true, "_upsample_bicubic2d_aa", true},
    {"lanczos", 4, true, "_upsample_lanczos2d_aa", true},
};

values::Value interpolate(const HandArguments& a, const Python& python) {
  const std::string& mode = a.text(3);
  const bool withoutCorners = mode == "nearest" || mode == "area" || mode == "nearest-exact";
  if (withoutCorners && !a[4].isNone()) {
    raise("ValueError",
          "align_corners option can only be set with the interpolating modes: linear | bilinear | bicubic | trilinear");
  }
  const values::Value corners = flag(a.truth(4));
  const Scaling scaling = scalingOf(a, mode);
  const int64_t dims = a.tensor(0).dim();
  const bool antialias = a.truth(6);
  if (antialias && !((mode == "bilinear" || mode == "bicubic" || mode == "lanczos") && dims == 4)) {
    raise("ValueError",
          "Anti-alias option is restricted to bilinear, bicubic, and lanczos modes and requires a 4-D tensor as input");
  }
  if (mode == "area" && dims >= 3 && dims <= 5) {
    return python.functional(fmt::format("adaptive_avg_pool{}d", dims - 2), {a[0], scaling.size});
  }
  if (mode == "lanczos" && dims == 4 && (a.truth(4) || !antialias)) {
    raise("ValueError",
          a.truth(4) ? "Lanczos mode does not support align_corners=True" : "Lanczos mode requires antialias=True");
  }
  for (const Resampler& resampler : kResamplers) {
    if (resampler.mode == mode && resampler.dims == dims && resampler.antialias == antialias) {
      return resampler.takesCorners ? python.nn(resampler.name, {a[0], scaling.size, corners, scaling.factors})
                                    : python.nn(resampler.name, {a[0], scaling.size, scaling.factors});
    }
  }
  for (const Resampler& resampler : kResamplers) {
    if (resampler.mode == mode && resampler.takesCorners && mode.find("linear") != std::string::npos && dims >= 3 &&
        dims <= 5) {
      raise("NotImplementedError",
            fmt::format("Got {}D input, but {} mode needs {}D input", dims, mode, resampler.dims));
    }
  }
  raise("NotImplementedError",
        fmt::format("Input Error: Only 3D, 4D and 5D input Tensors supported (got {}D) for the modes: nearest | linear "
                    "| bilinear | bicubic | trilinear | lanczos | area | nearest-exact (got {})",
                    dims, mode));
}

int64_t positionOf(const std::string& name, std::initializer_list<const char*> names, const char* message) {
  auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) {
    raise("ValueError", fmt::format("nn.functional.grid_sample(): expected {}, but got: '{}'", message, name));
  }
  return found - names.begin();
}

values::Value gridSample(const HandArguments& a, const Python& python) {
  const int64_t mode =
      positionOf(a.text(2), {"bilinear", "nearest", "bicubic"}, "mode to be 'bilinear', 'nearest' or 'bicubic'");
  const int64_t padding =
      positionOf(a.text(3), {"zeros", "border", "reflection"}, "padding_mode to be 'zeros', 'border', or 'reflection'");
  return python.variable("grid_sampler", {a[0], a[1], number(mode), number(padding), flag(a.truth(4))});
}

values::Value affineGrid(const HandArguments& a, const Python& python) {
  const at::Tensor& theta = a.tensor(0);
  if (!at::isFloatingType(theta.scalar_type())) {
    raise("ValueError",
          fmt::format("Expected theta to have floating point type, but got {}", c10::toString(theta.scalar_type())));
  }
  return python.variable("affine_grid_generator", {a[0], a[1], flag(a.truth(2))});
}

constexpr NameSpace kResampleSpace = NameSpace::kFunctional;

const HandWritten kResamplingFunctions[] = {
    {kResampleSpace, "pad", "input, pad, mode='constant', value=None", "nn.pad(input, pad, mode, value)"},
    {kResampleSpace, "unfold", "input, kernel_size, dilation=1, padding=0, stride=1", unfold},
    {kResampleSpace, "fold", "input, output_size, kernel_size, dilation=1, padding=0, stride=1", fold},
    {kResampleSpace, "interpolate",
     "input, size=None, scale_factor=None, mode='nearest', align_corners=None, recompute_scale_factor=None, "
     "antialias=False",
     interpolate},
    {kResampleSpace, "upsample", "input, size=None, scale_factor=None, mode='nearest', align_corners=None",
     "functional.interpolate(input, size, scale_factor, mode, align_corners)"},
    {kResampleSpace, "upsample_nearest", "input, size=None, scale_factor=None",
     "functional.interpolate(input, size, scale_factor, mode='nearest')"},
    {kResampleSpace, "upsample_bilinear", "input, size=None, scale_factor=None",
     "functional.interpolate(input, size, scale_factor, mode='bilinear', align_corners=True)"},
    {kResampleSpace, "grid_sample", "input, grid, mode='bilinear', padding_mode='zeros', align_corners=None",
     gridSample},
    {kResampleSpace, "affine_grid", "theta, size, align_corners=None", affineGrid},
};

} // namespace

c10::ArrayRef<HandWritten> resamplingFunctions() {
  return kResamplingFunctions;
}

} // namespace touchstone::torch_names
