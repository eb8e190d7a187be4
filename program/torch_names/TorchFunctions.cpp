#include "program/torch_names/HandWritten.h"
#include "program/torch_names/OperatorCall.h"

#include <ATen/ExpandUtils.h>
#include <c10/core/GradMode.h>
#include <fmt/format.h>

#include <algorithm>

// Functions of `torch` that Python defines: torch/functional.py, except where a comment names another file.
namespace touchstone::torch_names {
namespace {

values::ValueList itemsOf(const values::Value& sequence) {
  const values::ValueList* items = sequence.items();
  return items ? *items : values::ValueList{sequence};
}

// The tensors of `f(a, b)` and of `f([a, b])`.
values::Value gathered(const values::Value& collected) {
  const values::ValueList& items = *collected.items();
  return items.size() == 1 && items[0].items() ? items[0] : collected;
}

values::Value broadcastShapes(const HandArguments& a, const Python&) {
  std::vector<int64_t> result;
  for (const values::Value& shape : *a[0].items()) {
    std::vector<int64_t> sizes;
    for (const values::Value& size : itemsOf(shape)) {
      sizes.push_back(toIndex(size));
    }
    result = at::infer_size(result, sizes);
  }
  return values::Value::size(result);
}

std::string subscriptLetters(const values::Value& subscripts) {
  std::string letters;
  for (const values::Value& item : itemsOf(subscripts)) {
    if (item.is<values::EllipsisValue>()) {
      letters += "...";
      continue;
    }
    const int64_t index = toIndex(item);
    if (index < 0 || index >= 52) {
      raise("ValueError", "einsum(): subscript in subscript list is not within the valid range [0, 52)");
    }
    letters += static_cast<char>(index < 26 ? 'A' + index : 'a' + index - 26);
  }
  return letters;
}

// Without opt_einsum, which the pinned environment does not have, the path is always the library's own.
values::Value einsumFunction(const HandArguments& a, const Python& python) {
  const values::ValueList& given = *a[0].items();
  if (given.size() < 2) {
    raise("ValueError",
          "einsum(): must specify the equation string and at least one operand, or at least one operand and its "
          "subscripts list");
  }
  std::string equation;
  values::ValueList operands;
  if (given[0].isTensor()) {
    for (size_t i = 0; i + 1 < given.size(); i += 2) {
      operands.push_back(given[i]);
      equation += (i ? "," : "") + subscriptLetters(given[i + 1]);
    }
    if (given.size() % 2 == 1) {
      equation += "->" + subscriptLetters(given.back());
    }
  } else {
    equation = given[0].as<std::string>();
    operands.assign(given.begin() + 1, given.end());
    while (operands.size() == 1 && operands[0].items()) {
      operands = values::ValueList(*operands[0].items());
    }
  }
  return python.variable("einsum", {text(equation), values::Value::tuple(std::move(operands))});
}

values::Value meshgridFunction(const HandArguments& a, const Python& python) {
  KeywordList keywords;
  if (!a[1].isNone()) {
    keywords.emplace_back("indexing", a[1]);
  }
  return python.variable("meshgrid", {gathered(a[0])}, std::move(keywords));
}

values::Value stftFunction(const HandArguments& a, const Python& python) {
  values::Value input = a[0];
  if (a.truth(5)) {
    if (!a[10].isNone()) {
      raise("RuntimeError", "stft align_to_window should only be set when center = false");
    }
    const at::Tensor& tensor = a.tensor(0);
    std::vector<int64_t> extended(std::max<int64_t>(0, 3 - tensor.dim()), 1);
    extended.insert(extended.end(), tensor.sizes().begin(), tensor.sizes().end());
    const values::Value padding = number(a.integer(1) / 2);
    const int64_t signalDim = tensor.dim();
    input = python.method("view", {input, integers(extended)});
    input = python.functional("pad", {input, values::Value::list({padding, padding}), a[6]});
    input = python.method("view", {input, integers(input.tensor().sizes().slice(input.tensor().dim() - signalDim))});
  }
  return python.variable("stft", {input, a[1], a[2], a[3], a[4], a[7], a[8], a[9], a[10]});
}

values::Value onlyWanted(const values::Value& all, bool inverse, bool counts) {
  const values::ValueList& items = *all.items();
  if (!inverse && !counts) {
    return items[0];
  }
  values::ValueList wanted{items[0]};
  if (inverse) {
    wanted.push_back(items[1]);
  }
  if (counts) {
    wanted.push_back(items[2]);
  }
  return values::Value::tuple(std::move(wanted));
}

values::Value uniqueFunction(const HandArguments& a, const Python& python) {
  KeywordList keywords{{"sorted", a[1]}, {"return_inverse", a[2]}, {"return_counts", a[3]}};
  values::Value all = a[4].isNone() ? python.variable("_unique2", {a[0]}, keywords)
                                    : python.variable("unique_dim", {a[0], a[4]}, keywords);
  return onlyWanted(all, a.truth(2), a.truth(3));
}

values::Value uniqueConsecutiveFunction(const HandArguments& a, const Python& python) {
  values::Value all =
      python.variable("unique_consecutive", {a[0]}, {{"return_inverse", a[1]}, {"return_counts", a[2]}, {"dim", a[3]}});
  return onlyWanted(all, a.truth(1), a.truth(2));
}

std::pair<values::Value, values::Value> lastAndFirst(int64_t count) {
  values::ValueList last;
  values::ValueList first;
  for (int64_t i = 0; i < count; ++i) {
    last.push_back(number(i - count));
    first.push_back(number(i));
  }
  return {values::Value::list(std::move(last)), values::Value::list(std::move(first))};
}

values::Value tensordotFunction(const HandArguments& a, const Python& python) {
  std::pair<values::Value, values::Value> dims;
  if (const values::ValueList* pair = a[2].items()) {
    if (pair->size() != 2) {
      raise("ValueError",
            fmt::format("{} values to unpack (expected 2)", pair->size() > 2 ? "too many" : "not enough"));
    }
    dims = {(*pair)[0], (*pair)[1]};
  } else {
    const int64_t count = a.integer(2);
    if (count < 0) {
      raise("RuntimeError", fmt::format("tensordot expects dims >= 0, but got dims={}", count));
    }
    if (a[2].is<int64_t>() && count > std::min(a.tensor(0).dim(), a.tensor(1).dim())) {
      raise("RuntimeError", fmt::format("tensordot expects dims < ndim_a or ndim_b, but got dims={}", count));
    }
    dims = lastAndFirst(count);
  }
  KeywordList keywords;
  if (!a[3].isNone()) {
    keywords.emplace_back("out", a[3]);
  }
  return python.variable("tensordot", {a[0], a[1], dims.first, dims.second}, std::move(keywords));
}

values::Value cdistFunction(const HandArguments& a, const Python& python) {
  const std::string& mode = a.text(3);
  if (mode == "use_mm_for_euclid_dist_if_necessary") {
    return python.variable("cdist", {a[0], a[1], a[2], values::Value()});
  }
  if (mode == "use_mm_for_euclid_dist") {
    return python.variable("cdist", {a[0], a[1], a[2], number(1)});
  }
  if (mode == "donot_use_mm_for_euclid_dist") {
    return python.variable("cdist", {a[0], a[1], a[2], number(2)});
  }
  raise("ValueError", mode + " is not a valid value for compute_mode");
}

template <int kDimensions>
values::Value atLeast(const HandArguments& a, const Python& python) {
  const values::ValueList& items = *a[0].items();
  return python.variable(fmt::format("atleast_{}d", kDimensions), {items.size() == 1 ? items[0] : a[0]});
}

values::Value normFunction(const HandArguments& a, const Python& python) {
  const at::Tensor& input = a.tensor(0);
  values::Value dims = a[2].is<int64_t>() ? values::Value::list({a[2]}) : a[2];
  KeywordList keywords{{"dtype", a[5]}};
  if (!a[4].isNone()) {
    keywords.emplace_back("out", a[4]);
  }
  const auto* name = a[1].maybe<std::string>();
  const bool fewDims = a[2].isNone() || a[2].is<int64_t>() || (a[2].items() && a[2].items()->size() <= 2);
  if (name && !(*name == "fro" && fewDims)) {
    if (dims.isNone()) {
      dims = lastAndFirst(input.dim()).second;
    }
    return callNamed(NameSpace::kLinalg, "matrix_norm", {a[0], a[1], dims, a[3]}, keywords, python.dispatch);
  }
  values::Value p = name ? number(2) : a[1].isNone() ? number(2.0) : a[1];
  return callNamed(NameSpace::kLinalg, "vector_norm", {a[0], p, dims, a[3]}, keywords, python.dispatch);
}

values::Value unravelIndex(const HandArguments& a, const Python& python) {
  const at::Tensor& indices = a.tensor(0);
  if (!at::isIntegralType(indices.scalar_type(), /*includeBool=*/false)) {
    raise("TypeError",
          fmt::format("expected 'indices' to be integer dtype, but got {}", c10::toString(indices.scalar_type())));
  }
  values::ValueList shape = itemsOf(a[1]);
  values::ValueList factors(shape.size());
  int64_t product = 1;
  for (size_t i = shape.size(); i-- > 0;) {
    if (toIndex(shape[i]) < 0) {
      raise("ValueError", "'shape' cannot have negative values");
    }
    factors[i] = number(product);
    product *= toIndex(shape[i]);
  }
  KeywordList keywords{{"device", values::Value(values::Value::Payload(indices.device()))},
                       {"dtype", dtypeValue(at::kLong)}};
  values::Value quotient =
      python.method("floor_divide", {python.method("unsqueeze", {a[0], number(-1)}),
                                     python.torch("tensor", {values::Value::list(factors)}, keywords)});
  values::Value result = python.binary("%", quotient, python.torch("tensor", {values::Value::list(shape)}, keywords));
  return python.method("unbind", {result, number(-1)});
}

values::Value chainMatmul(const HandArguments& a, const Python& python) {
  if (a[1].isNone()) {
    return python.variable("chain_matmul", {a[0]});
  }
  return callNamed(NameSpace::kLinalg, "multi_dot", {a[0]}, {{"out", a[1]}}, python.dispatch);
}

// python_torch_functions_manual.cpp, nonzero.
values::Value nonzeroFunction(const HandArguments& a, const Python& python) {
  static const AtenCall plain("nonzero");
  static const AtenCall toOut("nonzero.out");
  static const AtenCall tuple("nonzero_numpy");
  if (a.truth(2)) {
    if (!a[1].isNone()) {
      raise("RuntimeError", "nonzero does not support the out kwarg when as_tuple is True");
    }
    return values::Value::tuple(*tuple(python.dispatch, {a.tensor(0)}).items());
  }
  if (!a[1].isNone()) {
    return toOut(python.dispatch, {a.tensor(0), a.tensor(1)});
  }
  return plain(python.dispatch, {a.tensor(0)});
}

// torch/__init__.py
values::Value isTensor(const HandArguments& a, const Python&) {
  return flag(a[0].isTensor());
}

values::Value isGradEnabled(const HandArguments&, const Python&) {
  return flag(c10::GradMode::is_enabled());
}

constexpr NameSpace kTorchNames = NameSpace::kTorch;

const HandWritten kTorchFunctions[] = {
    {kTorchNames, "broadcast_tensors", "*tensors", "_VF.broadcast_tensors(tensors)"},
    {kTorchNames, "broadcast_shapes", "*shapes", broadcastShapes},
    {kTorchNames, "split", "tensor, split_size_or_sections, dim=0",
     "tensor.split(tensor, split_size_or_sections, dim)"},
    {kTorchNames, "einsum", "*args", einsumFunction},
    {kTorchNames, "meshgrid", "*tensors, indexing=None", meshgridFunction},
    {kTorchNames, "stft",
     "input, n_fft, hop_length=None, win_length=None, window=None, center=True, pad_mode='reflect', normalized=False, "
     "onesided=None, return_complex=None, align_to_window=None",
     stftFunction},
    {kTorchNames, "unique", "input, sorted=True, return_inverse=False, return_counts=False, dim=None", uniqueFunction},
    {kTorchNames, "unique_consecutive", "input, return_inverse=False, return_counts=False, dim=None",
     uniqueConsecutiveFunction},
    {kTorchNames, "tensordot", "a, b, dims=2, out=None", tensordotFunction},
    {kTorchNames, "cartesian_prod", "*tensors", "_VF.cartesian_prod(tensors)"},
    {kTorchNames, "block_diag", "*tensors", "_VF.block_diag(tensors)"},
    {kTorchNames, "cdist", "x1, x2, p=2.0, compute_mode='use_mm_for_euclid_dist_if_necessary'", cdistFunction},
    {kTorchNames, "atleast_1d", "*tensors", atLeast<1>},
    {kTorchNames, "atleast_2d", "*tensors", atLeast<2>},
    {kTorchNames, "atleast_3d", "*tensors", atLeast<3>},
    {kTorchNames, "norm", "input, p='fro', dim=None, keepdim=False, out=None, dtype=None", normFunction},
    {kTorchNames, "unravel_index", "indices, shape", unravelIndex},
    {kTorchNames, "chain_matmul", "*matrices, out=None", chainMatmul},
    {kTorchNames, "lu", "A, pivot=True, get_infos=False", "tensor.lu(A, pivot, get_infos)"},
    {kTorchNames, "nonzero", "nonzero(Tensor input, *, Tensor out=None, bool as_tuple=False)", nonzeroFunction},
    {kTorchNames, "is_tensor", "obj", isTensor},
    {kTorchNames, "is_grad_enabled", "", isGradEnabled},
};

} // namespace

c10::ArrayRef<HandWritten> torchFunctions() {
  return kTorchFunctions;
}

} // namespace touchstone::torch_names
