#pragma once

#include <ATen/core/Tensor.h>

#include <initializer_list>
#include <optional>
#include <vector>

namespace touchstone::decompositions {

/// Products with complex infinities depend on the order, and on whether a factor is complex. Throws NotDecomposed.
void requireReal(const at::Tensor& tensor);

/// gelu of float32 and bfloat16 is oneDNN's: not a number for infinity, coarser in its tails. Throws NotDecomposed.
void requireOwnGelu(const at::Tensor& self, c10::string_view approximate);

/// The tensor in the dtype in which kernels compute: see Widened.
at::Tensor widened(const at::Tensor& tensor);

/// An optional tensor that is there.
bool isGiven(const std::optional<at::Tensor>& tensor);

/// Of parameters the dtype of the first that is given, or else that of the input: what statistics have.
at::ScalarType dtypeOfStatistics(const at::Tensor& input,
                                 std::initializer_list<const std::optional<at::Tensor>*> parameters);

/// Operands in the dtype in which kernels compute: what is narrower than float32 as float32, complex32 as complex64, all else
/// as it is (torch/_prims_common/wrappers.py, elementwise_type_promotion_wrapper with the computation dtype).
class Widened {
 public:
  template <class... Tensors>
  explicit Widened(const Tensors&... tensors) : Widened(std::initializer_list<at::Tensor>{tensors...}) {}
  explicit Widened(std::initializer_list<at::Tensor> tensors);

  const at::Tensor& operator[](size_t position) const { return widened_[position]; }
  /// Back to the dtype that type promotion gives the operands.
  at::Tensor narrow(const at::Tensor& result) const { return result.to(dtype_); }

 private:
  std::vector<at::Tensor> widened_;
  at::ScalarType dtype_ = at::kFloat;
};

} // namespace touchstone::decompositions
