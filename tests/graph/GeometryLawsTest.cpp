// What Geometry says of sizes and strides is what eager's tensors do, on random chains of views.
#include "graph/ir/Geometry.h"

#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <functional>
#include <set>
#include <string>
#include <vector>

namespace touchstone::tests {
namespace {

ir::TensorMetadata layoutOf(const at::Tensor& tensor) {
  ir::TensorMetadata metadata;
  metadata.sizes = tensor.sizes().vec();
  metadata.strides = tensor.strides().vec();
  return metadata;
}

std::vector<int64_t> anySizes(int64_t smallest) {
  const auto rank = *rc::gen::inRange(0, 5);
  return *rc::gen::container<std::vector<int64_t>>(static_cast<size_t>(rank), rc::gen::inRange<int64_t>(smallest, 5));
}

struct NamedView {
  const char* name;
  std::function<at::Tensor(const at::Tensor& tensor, int64_t dimension, int64_t other)> apply;
};
const std::vector<NamedView> kViews = {
    {"transpose", [](const at::Tensor& t, int64_t d, int64_t e) { return t.transpose(d, e); }},
    {"narrow",
     [](const at::Tensor& t, int64_t d, int64_t e) {
       const int64_t start = std::min(e, t.size(d));
       return t.narrow(d, start, t.size(d) - start);
     }},
    {"step", [](const at::Tensor& t, int64_t d, int64_t e) { return t.slice(d, 0, t.size(d), e + 1); }},
    {"select", [](const at::Tensor& t, int64_t d, int64_t e) { return t.size(d) > e ? t.select(d, e) : t; }},
    {"unsqueeze", [](const at::Tensor& t, int64_t d, int64_t) { return t.dim() < 6 ? t.unsqueeze(d) : t; }},
    {"expand",
     [](const at::Tensor& t, int64_t d, int64_t e) {
       std::vector<int64_t> sizes = t.sizes().vec();
       sizes[static_cast<size_t>(d)] = t.size(d) == 1 ? e + 1 : t.size(d);
       return t.expand(sizes);
     }},
};

/// A chain of views of fresh memory, without as_strided; its names are logged.
at::Tensor anyView(int64_t smallest = 0) {
  at::Tensor tensor = at::zeros(anySizes(smallest));
  std::string names;
  const int length = *rc::gen::inRange(0, 5);
  for (int i = 0; i < length && tensor.dim() > 0; ++i) {
    const NamedView& view = kViews[*rc::gen::inRange<size_t>(0, kViews.size())];
    tensor =
        view.apply(tensor, *rc::gen::inRange<int64_t>(0, tensor.dim()), *rc::gen::inRange<int64_t>(0, tensor.dim()));
    names += std::string(view.name) + " ";
  }
  RC_LOG() << names << "gives sizes " << tensor.sizes() << ", strides " << tensor.strides() << std::endl;
  return tensor;
}

/// Of each element, its distance from the first.
std::vector<int64_t> placesOf(const ir::TensorMetadata& tensor) {
  std::vector<int64_t> places{0};
  for (size_t dimension = 0; dimension < tensor.sizes.size(); ++dimension) {
    std::vector<int64_t> next;
    for (const int64_t place : places) {
      for (int64_t i = 0; i < tensor.sizes[dimension]; ++i) {
        next.push_back(place + i * tensor.strides[dimension]);
      }
    }
    places = std::move(next);
  }
  return places;
}

bool overlaps(const ir::TensorMetadata& tensor) {
  const std::vector<int64_t> places = placesOf(tensor);
  return std::set<int64_t>(places.begin(), places.end()).size() < places.size();
}

ir::TensorMetadata anyStrided() {
  ir::TensorMetadata tensor;
  tensor.sizes = anySizes(0);
  tensor.strides = *rc::gen::container<std::vector<int64_t>>(tensor.sizes.size(), rc::gen::inRange<int64_t>(0, 12));
  return tensor;
}

RC_GTEST_PROP(GeometryLawsTest, FreshMemoryHasContiguousStrides, ()) {
  const std::vector<int64_t> sizes = anySizes(0);
  RC_ASSERT(ir::contiguousStrides(sizes) == at::empty(sizes).strides().vec());
}

RC_GTEST_PROP(GeometryLawsTest, ElementsAreCountedAsEagerCounts, ()) {
  const at::Tensor tensor = anyView();
  RC_ASSERT(elementCount(layoutOf(tensor)) == tensor.numel());
  RC_ASSERT(static_cast<int64_t>(placesOf(layoutOf(tensor)).size()) == tensor.numel());
}

RC_GTEST_PROP(GeometryLawsTest, DenseIsWhatEagerCallsNonOverlappingAndDense, ()) {
  const at::Tensor tensor = anyView(/*smallest=*/1);
  RC_PRE(tensor.numel() > 0); // of nothing eager has an opinion of its own
  RC_ASSERT(isDense(layoutOf(tensor)) == tensor.is_non_overlapping_and_dense());
}

RC_GTEST_PROP(GeometryLawsTest, DenseIsEveryPlaceOfABlockOnce, ()) {
  const ir::TensorMetadata tensor = anyStrided();
  RC_PRE(elementCount(tensor) > 0);
  std::vector<int64_t> places = placesOf(tensor);
  std::sort(places.begin(), places.end());
  bool block = true;
  for (size_t i = 0; i < places.size(); ++i) {
    block = block && places[i] == static_cast<int64_t>(i);
  }
  RC_ASSERT(isDense(tensor) == block);
}

RC_GTEST_PROP(GeometryLawsTest, OfViewsItIsExactWhetherElementsShareMemory, ()) {
  const ir::TensorMetadata tensor = layoutOf(anyView());
  RC_ASSERT(mayOverlap(tensor) == overlaps(tensor));
}

RC_GTEST_PROP(GeometryLawsTest, NoOverlapOfAnyLayoutIsMissed, ()) {
  const ir::TensorMetadata tensor = anyStrided();
  RC_ASSERT(mayOverlap(tensor) || !overlaps(tensor));
}

RC_GTEST_PROP(GeometryLawsTest, TheMemoryOrderFallsAndNamesEachDimensionOnce, ()) {
  const ir::TensorMetadata tensor = anyStrided();
  const std::vector<size_t> order = ir::memoryOrder(tensor);
  RC_ASSERT((std::set<size_t>(order.begin(), order.end()).size() == tensor.sizes.size()));
  for (size_t i = 1; i < order.size(); ++i) {
    RC_ASSERT(tensor.strides[order[i - 1]] >= tensor.strides[order[i]]);
  }
}

RC_GTEST_PROP(GeometryLawsTest, LayoutsAreComparedByTheElementsPlaces, ()) {
  const ir::TensorMetadata left = anyStrided();
  ir::TensorMetadata right = left;
  for (size_t i = 0; i < right.strides.size(); ++i) {
    right.strides[i] += *rc::gen::element<int64_t>(0, 0, 0, 1);
  }
  RC_ASSERT(sameLayout(left, left) && sameSignificantLayout(left, left));
  RC_ASSERT(sameLayout(left, right) == sameLayout(right, left));
  RC_ASSERT(sameSignificantLayout(left, right) == sameSignificantLayout(right, left));
  RC_ASSERT(!sameLayout(left, right) || sameSignificantLayout(left, right));
  if (elementCount(left) > 0) {
    RC_ASSERT(sameSignificantLayout(left, right) == (placesOf(left) == placesOf(right)));
  }
}

} // namespace
} // namespace touchstone::tests
