#include "backends/capture/MemoryState.h"

#include "backends/arguments/Leaf.h"
#include "backends/arguments/VersionSharing.h"
#include "backends/arguments/ViewBase.h"
#include "program/evaluator/Hooks.h"

#include <fmt/format.h>
#include <torch/csrc/autograd/variable.h>

#include <algorithm>

namespace touchstone::capture {

namespace {

std::string mismatch(const char* what, int64_t expected, int64_t actual) {
  return fmt::format("{} mismatch. expected {}, actual {}", what, expected, actual);
}

std::string memoryMismatch(const MemoryState& expected, const MemoryState& actual) {
  return expected.storage != actual.storage ? "shares memory with other tensors than before"
         : expected.offset != actual.offset ? mismatch("storage offset", expected.offset, actual.offset)
         : expected.bytes != actual.bytes   ? mismatch("storage size", expected.bytes, actual.bytes)
         : expected.isLeaf != actual.isLeaf ? mismatch("is_leaf", expected.isLeaf, actual.isLeaf)
         : expected.retainsGrad != actual.retainsGrad
             ? mismatch("retains_grad", expected.retainsGrad, actual.retainsGrad)
         : expected.version != actual.version ? "shares its version with other tensors than before"
                                              : "is a view in another way than before";
}

} // namespace

FactState FactState::of(const at::Tensor& tensor, evaluator::Fact fact) {
  if (fact == evaluator::Fact::kOffset) {
    return {.offset = tensor.storage_offset()};
  }
  if (fact == evaluator::Fact::kBase) {
    const at::Tensor* base = arguments::differentiableBase(tensor);
    return {.baseRequiresGrad = (base != nullptr ? *base : tensor).requires_grad()};
  }
  if (fact == evaluator::Fact::kHooks) {
    return {.hasHooks = evaluator::hasHooks(tensor)};
  }
  const auto* view = torch::autograd::impl::get_view_autograd_meta(tensor);
  return {.isLeaf = arguments::isLeafNow(tensor),
          .retainsGrad = tensor.retains_grad(),
          .view = view != nullptr && view->has_bw_view() ? static_cast<int>(view->get_creation_meta()) : -1};
}

std::string factMismatch(const FactState& expected, const FactState& actual) {
  return expected.offset != actual.offset   ? mismatch("storage offset", expected.offset, actual.offset)
         : expected.isLeaf != actual.isLeaf ? mismatch("is_leaf", expected.isLeaf, actual.isLeaf)
         : expected.retainsGrad != actual.retainsGrad
             ? mismatch("retains_grad", expected.retainsGrad, actual.retainsGrad)
         : expected.baseRequiresGrad != actual.baseRequiresGrad
             ? mismatch("requires_grad of its base", expected.baseRequiresGrad, actual.baseRequiresGrad)
         : expected.hasHooks != actual.hasHooks ? mismatch("hooks", expected.hasHooks, actual.hasHooks)
                                                : "is a view in another way than before";
}

std::vector<MemoryState> memoryStatesOf(std::vector<const at::Tensor*> looked) {
  const size_t given = looked.size();
  std::vector<const void*> storages, versions;
  auto number = [](std::vector<const void*>& known, const void* each) {
    const auto found = std::find(known.begin(), known.end(), each);
    if (found == known.end()) {
      known.push_back(each);
      return static_cast<int>(known.size()) - 1;
    }
    return static_cast<int>(found - known.begin());
  };
  std::vector<MemoryState> states;
  for (size_t i = 0; i < looked.size(); ++i) { // grows with bases
    const at::Tensor& tensor = *looked[i];
    MemoryState state;
    state.offset = tensor.storage_offset();
    state.bytes = static_cast<int64_t>(tensor.storage().nbytes());
    state.isLeaf = arguments::isLeafNow(tensor);
    state.retainsGrad = tensor.retains_grad();
    state.storage = number(storages, tensor.storage().unsafeGetStorageImpl());
    state.version = number(versions, arguments::versionIdentity(tensor));
    if (const at::Tensor* base = arguments::differentiableBase(tensor)) {
      state.view = static_cast<int>(torch::autograd::impl::get_view_autograd_meta(tensor)->get_creation_meta());
      const auto known =
          std::find_if(looked.begin(), looked.end(), [&](const at::Tensor* each) { return each->is_same(*base); });
      state.base = static_cast<int>(known - looked.begin());
      if (known == looked.end()) {
        looked.push_back(base);
      }
    }
    states.push_back(state);
  }
  for (size_t i = given; i < looked.size(); ++i) { // a hidden base is guarded as an input would be
    const at::Tensor& base = *looked[i];
    std::vector<int64_t>& hidden = states[i].hidden;
    hidden = {static_cast<int64_t>(base.scalar_type()), static_cast<int64_t>(base.key_set().raw_repr()),
              base.requires_grad() ? 1 : 0};
    states[i].hiddenSizes = base.sizes().vec();
    states[i].hiddenSizes.insert(states[i].hiddenSizes.end(), base.strides().begin(), base.strides().end());
  }
  return states;
}

std::string memoryMismatch(const std::vector<MemoryState>& expected, const std::vector<MemoryState>& actual,
                           const std::vector<std::string>& sources) {
  for (size_t i = 0; i < actual.size(); ++i) {
    if (!(actual[i] == expected[i])) {
      return fmt::format("tensor '{}' {}", i < sources.size() ? sources[i] : "a base of a view",
                         memoryMismatch(expected[i], actual[i]));
    }
  }
  return "";
}

std::vector<int64_t*> numbersOf(std::vector<MemoryState>& states) {
  std::vector<int64_t*> places;
  for (MemoryState& state : states) {
    places.push_back(&state.offset);
    places.push_back(&state.bytes);
    for (int64_t& number : state.hiddenSizes) {
      places.push_back(&number);
    }
  }
  return places;
}

bool sameButNumbers(std::vector<MemoryState> left, std::vector<MemoryState> right) {
  for (std::vector<MemoryState>* states : {&left, &right}) {
    for (int64_t* place : numbersOf(*states)) {
      *place = 0;
    }
  }
  return left == right;
}

} // namespace touchstone::capture
