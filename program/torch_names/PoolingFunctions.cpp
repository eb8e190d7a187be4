#include "program/torch_names/HandWritten.h"
#include "program/torch_names/OperatorCall.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

// Pooling of torch/nn/functional.py, each after the function of its name there.
namespace touchstone::torch_names {
namespace {

// `_pair` and its like: one number stands for all.
values::ValueList eachDimension(const values::Value& value, size_t count) {
  if (const values::ValueList* items = value.items()) {
    return *items;
  }
  return values::ValueList(count, value);
}

values::Value emptyList() {
  return values::Value::list({});
}

// `_list_with_default`: None keeps the size of the input.
values::Value sizeOrInput(const values::Value& wanted, const at::Tensor& input) {
  const values::ValueList* items = wanted.items();
  if (!items) {
    return wanted;
  }
  if (input.dim() <= static_cast<int64_t>(items->size())) {
    raise("ValueError", fmt::format("Input dimension should be at least {}", items->size() + 1));
  }
  values::ValueList sizes;
  for (size_t i = 0; i < items->size(); ++i) {
    sizes.push_back((*items)[i].isNone() ? number(input.size(input.dim() - items->size() + i)) : (*items)[i]);
  }
  return values::Value::list(std::move(sizes));
}

template <int kDimensions>
values::Value maxPool(const HandArguments& a, const Python& python) {
  values::ValueList arguments{a[0], a[1], a[2].isNone() ? emptyList() : a[2], a[3], a[4], a[5]};
  if (!a.truth(6)) {
    return python.variable(fmt::format("max_pool{}d", kDimensions), std::move(arguments));
  }
  const std::string name = fmt::format("max_pool{}d_with_indices", kDimensions);
  return kDimensions == 1 ? python.variable(name, std::move(arguments)) : python.nn(name, std::move(arguments));
}

template <int kDimensions>
values::Value maxPoolWithIndices(const HandArguments& a, const Python& python) {
  HandArguments withIndices = a;
  withIndices.values[6] = flag(true);
  return maxPool<kDimensions>(withIndices, python);
}

template <int kDimensions>
values::Value adaptiveMaxPool(const HandArguments& a, const Python& python) {
  const std::string name = fmt::format("adaptive_max_pool{}d", kDimensions);
  values::Value both =
      kDimensions == 1 ? python.variable(name, {a[0], a[1]}) : python.nn(name, {a[0], sizeOrInput(a[1], a.tensor(0))});
  return a.truth(2) ? both : (*both.items())[0];
}

template <int kDimensions>
values::Value adaptiveAvgPool(const HandArguments& a, const Python& python) {
  return python.nn(fmt::format("adaptive_avg_pool{}d", kDimensions), {a[0], sizeOrInput(a[1], a.tensor(0))});
}

template <int kDimensions>
values::Value lpPool(const HandArguments& a, const Python& python) {
  const double order = a.real(1);
  if (std::isinf(order)) {
    values::Value magnitude = python.method("abs", {a[0]});
    values::ValueList rest{a[2], a[3], number(0), number(1), a[4]};
    values::ValueList arguments{order > 0 ? magnitude : python.negative(magnitude)};
    arguments.insert(arguments.end(), rest.begin(), rest.end());
    values::Value pooled = python.functional(fmt::format("max_pool{}d", kDimensions), std::move(arguments));
    return order > 0 ? pooled : python.negative(pooled);
  }
  values::Value powers = python.method("pow", {a[0], a[1]});
  const std::string average = fmt::format("avg_pool{}d", kDimensions);
  values::Value out = a[3].isNone()
                          ? python.functional(average, {powers, a[2]}, {{"padding", number(0)}, {"ceil_mode", a[4]}})
                          : python.functional(average, {powers, a[2], a[3], number(0), a[4]});
  int64_t count = 1;
  for (const values::Value& size : eachDimension(a[2], kDimensions)) {
    count *= toIndex(size);
  }
  values::Value sign = python.torch("sign", {out});
  values::Value magnitude = python.binary("*", sign, python.functional("relu", {python.torch("abs", {out})}));
  return python.method("pow", {python.method("mul", {magnitude, number(count)}), number(1.0 / order)});
}

std::vector<int64_t> unpooledSize(const at::Tensor& input, const values::ValueList& kernel,
                                  const values::ValueList& stride, const values::ValueList& padding,
                                  const values::Value& wanted) {
  std::vector<int64_t> sizes;
  const size_t dims = kernel.size();
  for (size_t i = 0; i < dims; ++i) {
    sizes.push_back((input.size(input.dim() - dims + i) - 1) * toIndex(stride[i]) + toIndex(kernel[i]) -
                    2 * toIndex(padding[i]));
  }
  if (wanted.isNone()) {
    return sizes;
  }
  values::ValueList given = *wanted.items();
  if (given.size() == dims + 2) {
    given.erase(given.begin(), given.begin() + 2);
  }
  if (given.size() != dims) {
    raise("ValueError", fmt::format("output_size should be a sequence containing {} or {} elements, but it has a "
                                    "length of '{}'",
                                    dims, dims + 2, given.size()));
  }
  for (size_t i = 0; i < dims; ++i) {
    const int64_t least = sizes[i] - toIndex(stride[i]);
    const int64_t most = sizes[i] + toIndex(stride[i]);
    if (!(least < toIndex(given[i]) && toIndex(given[i]) < most)) {
      raise("ValueError", fmt::format("invalid output_size (dim {} must be between {} and {})", i, least, most));
    }
    sizes[i] = toIndex(given[i]);
  }
  return sizes;
}

template <int kDimensions>
values::Value maxUnpool(const HandArguments& a, const Python& python) {
  const values::ValueList kernel = eachDimension(a[2], kDimensions);
  const values::ValueList stride = a[3].isNone() ? kernel : eachDimension(a[3], kDimensions);
  const values::ValueList padding = eachDimension(a[4], kDimensions);
  std::vector<int64_t> size = unpooledSize(a.tensor(0), kernel, stride, padding, a[5]);
  if (kDimensions == 1) {
    size.push_back(1);
    values::Value result = python.nn("max_unpool2d", {python.method("unsqueeze", {a[0], number(-1)}),
                                                      python.method("unsqueeze", {a[1], number(-1)}), integers(size)});
    return python.method("squeeze", {result, number(-1)});
  }
  if (kDimensions == 2) {
    return python.nn("max_unpool2d", {a[0], a[1], integers(size)});
  }
  return python.nn("max_unpool3d",
                   {a[0], a[1], integers(size), values::Value::tuple(stride), values::Value::tuple(padding)});
}

template <int kDimensions>
values::Value fractionalMaxPool(const HandArguments& a, const Python& python) {
  const at::Tensor& input = a.tensor(0);
  values::Value size = a[2];
  if (size.isNone()) {
    if (a[3].isNone()) {
      raise("ValueError", fmt::format("fractional_max_pool{}d requires specifying either an output_size or an "
                                      "output_ratio",
                                      kDimensions));
    }
    values::ValueList sizes;
    const values::ValueList ratios = eachDimension(a[3], kDimensions);
    for (int i = 0; i < kDimensions; ++i) {
      sizes.push_back(number(static_cast<int64_t>(input.size(i - kDimensions) * toScalar(ratios.at(i)).toDouble())));
    }
    size = values::Value::list(std::move(sizes));
  }
  values::Value samples = a[5];
  if (samples.isNone()) {
    const int64_t batch = input.dim() == kDimensions + 1 ? 1 : input.size(0);
    samples = python.torch("rand", {number(batch), number(input.size(-kDimensions - 1)), number(kDimensions)},
                           {{"dtype", dtypeValue(input.scalar_type())},
                            {"device", values::Value(values::Value::Payload(input.device()))}});
  }
  values::Value both = python.nn(fmt::format("fractional_max_pool{}d", kDimensions), {a[0], a[1], size, samples});
  return a.truth(4) ? both : (*both.items())[0];
}

constexpr NameSpace kPoolSpace = NameSpace::kFunctional;
constexpr const char* kMaxPool =
    "input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False";
constexpr const char* kAdaptiveMax = "input, output_size, return_indices=False";
constexpr const char* kLp = "input, norm_type, kernel_size, stride=None, ceil_mode=False";
constexpr const char* kUnpool = "input, indices, kernel_size, stride=None, padding=0, output_size=None";
constexpr const char* kFractional =
    "input, kernel_size, output_size=None, output_ratio=None, return_indices=False, _random_samples=None";

const HandWritten kPoolingFunctions[] = {
    {kPoolSpace, "max_pool1d", kMaxPool, maxPool<1>},
    {kPoolSpace, "max_pool2d", kMaxPool, maxPool<2>},
    {kPoolSpace, "max_pool3d", kMaxPool, maxPool<3>},
    {kPoolSpace, "max_pool1d_with_indices", kMaxPool, maxPoolWithIndices<1>},
    {kPoolSpace, "max_pool2d_with_indices", kMaxPool, maxPoolWithIndices<2>},
    {kPoolSpace, "max_pool3d_with_indices", kMaxPool, maxPoolWithIndices<3>},
    {kPoolSpace, "adaptive_max_pool1d", kAdaptiveMax, adaptiveMaxPool<1>},
    {kPoolSpace, "adaptive_max_pool2d", kAdaptiveMax, adaptiveMaxPool<2>},
    {kPoolSpace, "adaptive_max_pool3d", kAdaptiveMax, adaptiveMaxPool<3>},
    {kPoolSpace, "adaptive_avg_pool2d", "input, output_size", adaptiveAvgPool<2>},
    {kPoolSpace, "adaptive_avg_pool3d", "input, output_size", adaptiveAvgPool<3>},
    {kPoolSpace, "lp_pool1d", kLp, lpPool<1>},
    {kPoolSpace, "lp_pool2d", kLp, lpPool<2>},
    {kPoolSpace, "lp_pool3d", kLp, lpPool<3>},
    {kPoolSpace, "max_unpool1d", kUnpool, maxUnpool<1>},
    {kPoolSpace, "max_unpool2d", kUnpool, maxUnpool<2>},
    {kPoolSpace, "max_unpool3d", kUnpool, maxUnpool<3>},
    {kPoolSpace, "fractional_max_pool2d", kFractional, fractionalMaxPool<2>},
    {kPoolSpace, "fractional_max_pool3d", kFractional, fractionalMaxPool<3>},
};

} // namespace

c10::ArrayRef<HandWritten> poolingFunctions() {
  return kPoolingFunctions;
}

} // namespace touchstone::torch_names
