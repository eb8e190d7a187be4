#pragma once

#include "program/evaluator/ReadObserver.h"

#include <ATen/core/Tensor.h>

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace touchstone::capture {

/// What a Program has looked at of the values that it was given, told while it runs on copies of them.
class Reads final : public evaluator::ReadObserver {
 public:
  Reads() = default;
  /// `values`: as they were given; `copies`: what the Program gets, of the same structure. `tensors`, `fakes`: the tensors
  /// in them, each object once, in one order.
  Reads(const values::ValueList& values, const values::ValueList& copies, std::vector<at::Tensor> tensors,
        std::vector<at::Tensor> fakes);

  void whole(const values::Value& value) override;
  void item(const values::Value& container, const std::string& key) override;
  void items(const values::Value& container) override;
  void fact(const at::Tensor& tensor, evaluator::Fact fact) override;

  /// Ends the telling: lets go of the copies.
  void finish();

  /// Of the values as they were given. A tensor: anything of it but that it is one.
  bool isRead(const at::Tensor& tensor) const { return tensors_.contains(tensor.unsafeGetTensorImpl()); }
  /// Which object a container holds at a key, or which constant.
  bool isRead(const values::Value& container, const std::string& key) const;
  /// Of some tensor it was asked how it lies beside others.
  bool asksForSharing() const { return asksForSharing_; }
  /// The tensors of which something else was asked, and what.
  const std::vector<std::pair<at::Tensor, evaluator::Fact>>& facts() const { return facts_; }

 private:
  void look(const values::Value& value, std::set<const void*>& seen);
  const at::Tensor* givenFor(const at::Tensor& copy) const;

  std::vector<at::Tensor> given_, fakes_; // in one order
  std::map<const void*, const void*> containers_; // a copy's address to that of what was given
  std::set<const c10::TensorImpl*> tensors_; // given
  std::map<const void*, std::set<std::string>> items_; // by container that was given
  std::set<const void*> whole_; // the same
  std::vector<std::pair<at::Tensor, evaluator::Fact>> facts_;
  bool asksForSharing_ = false;
};

} // namespace touchstone::capture
