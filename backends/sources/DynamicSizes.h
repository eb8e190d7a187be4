#pragma once

#include "program/values/DimensionMark.h"
#include "program/values/Value.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace touchstone::sources {

/// The sizes and ints for which a place was captured. What has changed from one capture to the next is dynamic from then on:
/// torch.compile's automatic dynamic shapes (torch/_dynamo/pgo.py).
class SizeHistory {
 public:
  void note(const std::vector<std::string>& names, const values::ValueList& locals);
  bool isAny() const { return !dynamic_.empty(); }
  /// `source`: `L['x'].size()[0]`, `L['n']`.
  bool isDynamic(const std::string& source) const { return dynamic_.contains(source); }

 private:
  std::map<std::string, int64_t> last_;
  std::map<std::string, int64_t> ranks_; // of tensors, as first seen
  std::set<std::string> changedRank_; // their sizes are dynamic
  std::set<std::string> dynamic_;
};

/// What callers have said of dimensions of tensors, as long as these are there: `torch._dynamo.mark_dynamic` and the like. And what
/// is told of them where they are results of code with symbols.
class MarkedSizes {
 public:
  void mark(const at::Tensor& tensor, const values::DimensionMark& mark);
  /// `dimensions`: those that are to be symbols; none: no dimension is.
  void markDynamic(const at::Tensor& tensor, const std::vector<bool>& dimensions);
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

} // namespace touchstone::sources
