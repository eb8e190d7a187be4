#include "program/torch_names/NameResolver.h"
#include "program/values/RaisedException.h"

#include <ATen/Functions.h>
#include <ATen/TensorIndexing.h>
#include <gtest/gtest.h>

#include <random>

namespace touchstone::tests {
namespace {

void dispatch(const c10::OperatorHandle& op, torch::jit::Stack& stack) {
  op.callBoxed(stack);
}

values::Value integer(int64_t value) {
  return values::Value(values::Value::Payload(value));
}

values::Value sliceOf(values::Value start, values::Value stop, values::Value step) {
  return values::Value(
      values::Value::Payload(std::make_shared<values::SliceObject>(values::SliceObject{start, stop, step})));
}

/// The same random subscript for us and for libtorch's own indexing.
struct RandomSubscript {
  values::ValueList items;
  std::vector<at::indexing::TensorIndex> indices;
};

RandomSubscript randomSubscript(std::mt19937& random, at::IntArrayRef sizes) {
  auto below = [&](int64_t limit) { return static_cast<int64_t>(random() % static_cast<uint32_t>(limit)); };
  RandomSubscript subscript;
  size_t dim = 0;
  bool usedEllipsis = false;
  for (int64_t count = below(5); count >= 0; --count) {
    switch (below(dim < sizes.size() ? 7 : 3)) {
      case 0:
        subscript.items.emplace_back();
        subscript.indices.emplace_back(at::indexing::None);
        break;
      case 1:
        if (!usedEllipsis) {
          subscript.items.emplace_back(values::Value::Payload(values::EllipsisValue{}));
          subscript.indices.emplace_back(at::indexing::Ellipsis);
          usedEllipsis = true;
          dim = sizes.size(); // nothing after it, so that sizes stay known
        }
        break;
      case 2: {
        const bool value = below(2) == 1;
        subscript.items.emplace_back(values::Value::Payload(value));
        subscript.indices.emplace_back(value);
        break;
      }
      case 3: {
        const int64_t index = below(2 * sizes[dim]) - sizes[dim];
        subscript.items.push_back(integer(index));
        subscript.indices.emplace_back(index);
        ++dim;
        break;
      }
      case 4: {
        const int64_t start = below(sizes[dim] + 1);
        const int64_t stop = below(sizes[dim] + 2);
        const int64_t step = 1 + below(2);
        subscript.items.push_back(sliceOf(integer(start), integer(stop), integer(step)));
        subscript.indices.emplace_back(at::indexing::Slice(start, stop, step));
        ++dim;
        break;
      }
      case 5: {
        at::Tensor index = at::randint(-sizes[dim], sizes[dim], {2}, at::kLong);
        subscript.items.emplace_back(index);
        subscript.indices.emplace_back(index);
        ++dim;
        break;
      }
      default: {
        at::Tensor mask = at::ones({sizes[dim]}, at::kBool);
        mask[0].fill_(below(2) == 1);
        subscript.items.emplace_back(mask);
        subscript.indices.emplace_back(mask);
        ++dim;
        break;
      }
    }
  }
  return subscript;
}

/// The result of an action, or the type of its error.
template <class Action>
std::pair<at::Tensor, std::string> resultOrError(const Action& action) {
  try {
    return {action(), ""};
  } catch (...) {
    return {at::Tensor(), values::currentException().type()};
  }
}

TEST(IndexingTest, RandomSubscriptsAgreeWithLibtorch) {
  std::mt19937 random(7);
  int succeeded = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    at::Tensor tensor = at::arange(24, at::kFloat).reshape({2, 3, 4});
    if (trial % 2) {
      tensor = tensor.transpose(0, 2);
    }
    RandomSubscript subscript = randomSubscript(random, tensor.sizes());
    const values::Value index = values::Value::tuple(subscript.items);
    auto [ours, ourError] = resultOrError([&] { return torch_names::tensorGetItem(tensor, index, dispatch).tensor(); });
    auto [theirs, theirError] = resultOrError([&] { return tensor.index(subscript.indices); });
    ASSERT_EQ(ourError, theirError) << "trial " << trial;
    if (!theirError.empty()) {
      continue;
    }
    ++succeeded;
    ASSERT_TRUE(at::equal(ours, theirs)) << "trial " << trial;
    ASSERT_EQ(ours.strides(), theirs.strides()) << "trial " << trial;
    ASSERT_EQ(ours.storage_offset(), theirs.storage_offset()) << "trial " << trial;
    ASSERT_EQ(ours.is_alias_of(tensor), theirs.is_alias_of(tensor)) << "trial " << trial;

    at::Tensor written = tensor.clone();
    at::Tensor expected = tensor.clone();
    auto [put, putError] = resultOrError([&] {
      torch_names::tensorSetItem(written, index, values::Value(values::Value::Payload(trial * 1.0)), dispatch);
      return written;
    });
    auto [reference, referenceError] =
        resultOrError([&] { return expected.index_put_(subscript.indices, at::Scalar(trial * 1.0)); });
    ASSERT_EQ(putError, referenceError) << "trial " << trial;
    ASSERT_TRUE(at::equal(written, expected)) << "trial " << trial;
  }
  EXPECT_GT(succeeded, 800);
}

TEST(IndexingTest, ErrorsAreThoseOfPython) {
  at::Tensor tensor = at::arange(6, at::kFloat).reshape({2, 3});
  auto errorOf = [&](const values::Value& index) {
    try {
      torch_names::tensorGetItem(tensor, index, dispatch);
    } catch (...) {
      return std::string(values::currentException().what());
    }
    return std::string();
  };
  EXPECT_EQ(errorOf(integer(2)), "IndexError: index 2 is out of bounds for dimension 0 with size 2");
  EXPECT_EQ(errorOf(sliceOf(values::Value(), values::Value(), integer(0))), "ValueError: slice step cannot be zero");
  EXPECT_EQ(errorOf(sliceOf(values::Value(), values::Value(), integer(-1))),
            "ValueError: step must be greater than zero");
  EXPECT_EQ(errorOf(values::Value::tuple({integer(0), integer(0), integer(0)})),
            "IndexError: too many indices for tensor of dimension 2");
}

TEST(IndexingTest, ASubscriptGivesAViewAndAssignmentWritesThroughIt) {
  at::Tensor tensor = at::zeros({2, 3});
  values::Value row = torch_names::tensorGetItem(tensor, integer(1), dispatch);
  EXPECT_TRUE(row.tensor().is_alias_of(tensor));
  torch_names::tensorSetItem(row.tensor(), sliceOf(values::Value(), values::Value(), values::Value()), integer(5),
                             dispatch);
  EXPECT_EQ(tensor.sum().item<float>(), 15);
  EXPECT_EQ(tensor[0].sum().item<float>(), 0);
}

} // namespace
} // namespace touchstone::tests
