#include "oracles/taint/TaintFlow.h"

#include "oracles/taint/Nondeterminism.h"
#include "oracles/taint/OverlapWrites.h"
#include "program/operators/OperatorFacts.h"

#include <ATen/ExpandUtils.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/enum_tag.h>
#include <ATen/ops/full.h>
#include <ATen/ops/zeros.h>

#include <algorithm>

namespace touchstone::taint {

namespace {

/// Element i of the argument decides about element i of the result alone.
bool mapsElements(const c10::OperatorHandle& op, std::string_view name, std::string_view argument) {
  if (op.hasTag(at::Tag::pointwise)) {
    return true;
  }
  if (argument == "self") {
    return operators::factsOf(name).has(operators::kKeepsPlaces);
  }
  return (name == "gather" && argument == "index") || (name == "copy_" && argument == "src");
}

/// Keeps elements in order but not the sizes.
bool reshapes(std::string_view name) {
  return name == "reshape" || name == "flatten" || name == "ravel" || name == "reshape_as";
}

/// Nothing of what the first argument held is left.
bool overwrites(std::string_view name) {
  return name == "copy_" || name == "fill_" || name == "zero_";
}

/// Hands data of a tensor to the Program as a number.
bool readsNumber(std::string_view name) {
  return operators::has(name, operators::kReadsOut);
}

bool isViewOfAny(const at::Tensor& tensor, const std::vector<at::Tensor>& list) {
  return tensor.has_storage() && std::any_of(list.begin(), list.end(), [&](const at::Tensor& each) {
           return each.has_storage() && each.is_alias_of(tensor);
         });
}

} // namespace

std::string_view nameOf(const c10::OperatorHandle& op) {
  std::string_view name = op.operator_name().name;
  const size_t colons = name.rfind("::");
  return colons == std::string_view::npos ? name : name.substr(colons + 2);
}

bool changesMetadataOnly(std::string_view name) {
  return name == "retain_grad" ||
         (operators::isInPlaceName(name) && operators::factsOf(name).has(operators::kChangesGeometry));
}

bool isAmong(const at::Tensor& tensor, const std::vector<at::Tensor>& list) {
  return std::any_of(list.begin(), list.end(), [&](const at::Tensor& each) { return each.is_same(tensor); });
}

void collectTensorsOf(const c10::IValue& value, std::vector<at::Tensor>& tensors) {
  if (value.isTensor()) {
    if (value.toTensor().defined()) {
      tensors.push_back(value.toTensor());
    }
  } else if (value.isList()) {
    for (const c10::IValue& item : value.toListRef()) {
      collectTensorsOf(item, tensors);
    }
  } else if (value.isTuple()) {
    for (const c10::IValue& item : value.toTupleRef().elements()) {
      collectTensorsOf(item, tensors);
    }
  }
}

void TaintFlow::begin(bool sameObjects) {
  numbers_ = 0;
  if (sameObjects) {
    return;
  }
  storages_.clear();
  nodes_.clear();
  everything_ = 0;
}

void TaintFlow::before(const c10::OperatorHandle& op, const torch::jit::Stack& stack) {
  const std::string_view name = nameOf(op);
  const std::vector<c10::Argument>& schema = op.schema().arguments();
  const size_t first = stack.size() - schema.size();
  reads_.clear();
  readTensors_.clear();
  writes_.clear();
  arguments_.clear();
  whole_ = any_ = everything_;
  if (choiceOf(name) != Choice::kNone) {
    arguments_.assign(stack.begin() + static_cast<std::ptrdiff_t>(first), stack.end());
  }
  for (size_t index = 0; index < schema.size(); ++index) {
    std::vector<at::Tensor> tensors;
    collectTensorsOf(stack[first + index], tensors);
    const c10::AliasInfo* alias = schema[index].alias_info();
    const bool isWritten = alias && alias->isWrite();
    for (const at::Tensor& tensor : tensors) {
      readTensors_.push_back(tensor);
      if (isWritten) {
        writes_.push_back(tensor);
      }
      if (isWritten && overwrites(name)) {
        continue;
      }
      // A number of the Program's is no tensor whose past nobody saw: what it was read from is in everything_.
      if (!storages_.knows(tensor) && !tensor.unsafeGetTensorImpl()->is_wrapped_number()) {
        whole_ |= nodes_.anywhere();
      }
      const at::Tensor masks = storages_.masksOf(tensor);
      if (masks.defined()) {
        reads_.push_back({masks, mapsElements(op, name, schema[index].name())});
      }
      any_ |= unionOf(masks);
    }
  }
  any_ |= whole_;
}

at::Tensor TaintFlow::masksOfResult(std::string_view name, at::IntArrayRef sizes) const {
  at::Tensor result;
  TaintMask whole = whole_;
  const auto merge = [&](const at::Tensor& masks) { result = result.defined() ? result | masks : masks; };
  for (const Read& read : reads_) {
    if (read.elementwise && reshapes(name) && read.masks.numel() == c10::multiply_integers(sizes)) {
      merge(read.masks.view(sizes));
    } else if (read.elementwise && at::is_expandable_to(read.masks.sizes(), sizes)) {
      merge(read.masks.expand(sizes));
    } else {
      whole |= unionOf(read.masks);
    }
  }
  if (whole) {
    merge(at::full(sizes, whole, at::kByte));
  }
  return result.defined() ? result.contiguous() : result;
}

void TaintFlow::after(const c10::OperatorHandle& op, const std::vector<at::Tensor>& results,
                      const OverlapWrites& overlap) {
  const at::AutoDispatchBelowADInplaceOrView guard;
  const std::string_view name = nameOf(op);
  readTaintedNumber_ = any_ && readsNumber(name);
  if (readTaintedNumber_) {
    numbers_ |= any_;
    everything_ |= any_;
  }
  const std::vector<at::Tensor> chosen =
      arguments_.empty() ? std::vector<at::Tensor>() : unspecifiedByChoice(op, arguments_, results);
  std::vector<at::Tensor> targets = results;
  for (const at::Tensor& written : writes_) {
    if (!isAmong(written, targets)) {
      targets.push_back(written);
    }
  }
  TaintMask made = any_;
  for (size_t index = 0; index < targets.size(); ++index) {
    const at::Tensor& target = targets[index];
    const bool isWritten = isAmong(target, writes_);
    const bool isView = changesMetadataOnly(name) || (!isWritten && isViewOfAny(target, readTensors_));
    storages_.know(target);
    if (isView) {
      storages_.add(target, everything_);
      continue;
    }
    if (isWritten && overwrites(name) && !overlap.seen()) {
      storages_.untaint(target);
    }
    if (any_) {
      storages_.add(target, masksOfResult(name, target.sizes()));
    }
    if (const TaintMask choice = index < chosen.size() ? unionOf(chosen[index]) : TaintMask(0)) {
      storages_.add(target, chosen[index]);
      made |= choice;
    }
    if (isWritten && overlap.seen()) {
      noteOverlap(target, overlap.readsItself());
      made |= kTaintedByOverlap;
    }
  }
  if (!made) {
    return;
  }
  for (const at::Tensor& target : targets) {
    if (isAmong(target, writes_) || !isViewOfAny(target, readTensors_)) {
      nodes_.mark(target, made);
    }
  }
}

void TaintFlow::noteOverlap(const at::Tensor& written, bool whole) {
  const bool repeats = !whole && overlapsItself(written);
  at::Tensor masks = at::zeros(written.sizes(), at::kByte);
  std::unordered_set<int64_t> seen;
  const std::vector<int64_t> bytes = firstBytesOf(written);
  for (size_t element = 0; element < bytes.size(); ++element) {
    if (!repeats || !seen.insert(bytes[element]).second) {
      masks.mutable_data_ptr<TaintMask>()[element] = kTaintedByOverlap;
    }
  }
  storages_.add(written, masks);
}

void TaintFlow::taint(const at::Tensor& changed, const std::vector<at::Tensor>& results, TaintMask mask) {
  storages_.add(changed, mask);
  for (const at::Tensor& result : results) {
    nodes_.mark(result, mask);
  }
}

} // namespace touchstone::taint
