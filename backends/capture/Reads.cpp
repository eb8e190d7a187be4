#include "backends/capture/Reads.h"

#include "backends/arguments/Containers.h"
#include "backends/fake/FakeTensor.h"

#include <algorithm>

namespace touchstone::capture {

using values::Value;

Reads::Reads(const values::ValueList& values, const values::ValueList& copies, std::vector<at::Tensor> tensors,
             std::vector<at::Tensor> fakes)
    : given_(std::move(tensors)), fakes_(std::move(fakes)) {
  const std::vector<Value> given = arguments::containersIn(values), copied = arguments::containersIn(copies);
  for (size_t i = 0; i < given.size(); ++i) {
    containers_.emplace(arguments::addressOfContainer(copied[i]), arguments::addressOfContainer(given[i]));
  }
}

const at::Tensor* Reads::givenFor(const at::Tensor& copy) const {
  const auto known =
      std::find_if(fakes_.begin(), fakes_.end(), [&](const at::Tensor& fake) { return fake.is_same(copy); });
  return known != fakes_.end() ? &given_[static_cast<size_t>(known - fakes_.begin())] : nullptr;
}

void Reads::whole(const Value& value) {
  std::set<const void*> seen;
  look(value, seen);
}

void Reads::look(const Value& value, std::set<const void*>& seen) {
  if (value.isTensor()) {
    if (const at::Tensor* given = givenFor(value.tensor())) {
      tensors_.insert(given->unsafeGetTensorImpl());
    }
    return;
  }
  if (const void* address = arguments::addressOfContainer(value)) {
    if (!seen.insert(address).second) {
      return;
    }
    if (const auto known = containers_.find(address); known != containers_.end()) {
      whole_.insert(known->second);
    }
  }
  if (const values::ValueList* items = value.items()) {
    for (const Value& item : *items) {
      look(item, seen);
    }
  } else if (const auto* dict = value.maybe<values::DictPtr>()) {
    for (const auto& entry : (*dict)->entries) {
      look(entry.second, seen);
    }
  } else if (const auto* module = value.maybe<values::ModulePtr>()) {
    for (const auto& field : (*module)->fields) {
      look(field.value, seen);
    }
  } else if (const auto* slice = value.maybe<values::SlicePtr>()) {
    for (const Value* part : {&(*slice)->start, &(*slice)->stop, &(*slice)->step}) {
      look(*part, seen);
    }
  }
}

void Reads::item(const Value& container, const std::string& key) {
  if (const auto known = containers_.find(arguments::addressOfContainer(container)); known != containers_.end()) {
    items_[known->second].insert(key);
  }
}

void Reads::items(const Value& container) {
  if (const auto known = containers_.find(arguments::addressOfContainer(container)); known != containers_.end()) {
    whole_.insert(known->second);
  }
}

void Reads::fact(const at::Tensor& tensor, evaluator::Fact fact) {
  if (fact == evaluator::Fact::kSharing) {
    asksForSharing_ = true;
    return;
  }
  if (const at::Tensor* given = givenFor(tensor)) {
    facts_.emplace_back(*given, fact);
    return;
  }
  const fake::FakeTensorImpl* view = fake::fakeOf(tensor);
  for (size_t i = 0; view != nullptr && i < fakes_.size(); ++i) { // of a view it is that of what it is a view of
    if (fake::fakeOf(fakes_[i])->backing().storage().is_alias_of(view->backing().storage())) {
      facts_.emplace_back(given_[i], fact);
    }
  }
}

void Reads::finish() {
  fakes_.clear();
  containers_.clear();
}

bool Reads::isRead(const Value& container, const std::string& key) const {
  const void* address = arguments::addressOfContainer(container);
  const auto known = items_.find(address);
  return address == nullptr || whole_.contains(address) || (known != items_.end() && known->second.contains(key));
}

} // namespace touchstone::capture
