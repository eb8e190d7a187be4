#pragma once

#include "program/values/DimensionMark.h"
#include "program/values/Value.h"

#include <ATen/core/Tensor.h>

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace touchstone::capture {

/// What callers have said of dimensions of tensors, as long as these are there: `torch._dynamo.mark_dynamic` and the like. And what
/// is told of them where they are results of code with symbols.
class MarkedSizes {
 public:
  void mark(const at::Tensor& tensor, const values::DimensionMark& mark);
  void markDynamic(const at::Tensor& tensor, const std::vector<int64_t>& dimensions);
  /// By source, `L['x'].size()[0]`: whether it is to be a symbol. What is not marked is not there.
  std::map<std::string, bool> among(const std::vector<std::string>& names, const values::ValueList& locals) const;

 private:
  struct Marked {
    c10::weak_intrusive_ptr<c10::TensorImpl, c10::UndefinedTensorImpl> tensor;
    int64_t dimension = 0;
    bool isDynamic = false;
  };
  void add(const at::Tensor& tensor, int64_t dimension, bool isDynamic);

  std::vector<Marked> marked_;
  size_t most_ = 0; // when those that are gone are left out
};

} // namespace touchstone::capture
