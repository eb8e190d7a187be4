#include "tests/backends/AotPrograms.h"

#include "backends/capture/Capture.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/ones.h>
#include <gtest/gtest.h>

namespace touchstone::tests {
namespace {

using values::Value;
using values::ValueList;

Value readsList(ValueList items) {
  auto list = std::make_shared<values::ListObject>();
  list->items = std::move(items);
  return Value(Value::Payload(std::move(list)));
}

Value readsDict(std::vector<std::pair<std::string, Value>> entries) {
  auto dict = std::make_shared<values::DictObject>();
  dict->entries.assign(entries.begin(), entries.end());
  return Value(Value::Payload(std::move(dict)));
}

Value number(int64_t value) {
  return Value(Value::Payload(value));
}

at::Tensor vectorOf(int64_t elements) {
  return at::arange(elements, at::kFloat);
}

/// What the second call was captured again for; nothing: it was not.
std::string again(const char* parameters, const char* body, const ValueList& first, const ValueList& second) {
  const language::Case theCase = caseOfProgram({"", "1", parameters, body});
  const auto program = capture::captureProgram(theCase, {});
  for (const ValueList& call : {first, second}) {
    ValueList arguments = call;
    (*program)(arguments);
  }
  const std::vector<std::string> reasons = program->report().recompiles;
  EXPECT_LE(reasons.size(), 1u);
  return reasons.empty() ? "" : reasons[0];
}

constexpr const char* kLonger = "' size mismatch at index 0. expected 2, actual 3";

TEST(CaptureReadsTest, ATensorThatIsOnlyMovedMayBeAnyTensor) {
  const ValueList first = {vectorOf(2), vectorOf(2)}, second = {vectorOf(2), vectorOf(3)};
  for (const char* body : {"held = y\nreturn x * 2", "return x * 2, y", "held = [y, {'a': y}]\nreturn x * 2, held",
                           "both = (x, y)\na, b = both\nreturn a * 2, b", "return x * 2 if y is None else x * 3"}) {
    EXPECT_EQ(again("x, y", body, first, second), "") << body;
  }
  for (const char* body : {"held = y\nreturn x * 2, held.shape", "held = [y]\nreturn x * 2, held[0].sum()",
                           "for each in [y]:\n    x = x + len(each)\nreturn x", "return torch.cat([x, y])",
                           "return x * 2, [y][0] + 1", "a, *rest = x, y\nreturn rest[0].dim()"}) {
    EXPECT_EQ(again("x, y", body, first, second), "tensor 'L['y']" + std::string(kLonger)) << body;
  }
  EXPECT_EQ(again("x, y", "held = y\nreturn x * 2", first, {vectorOf(2), number(1)}),
            "___check_type_id(L['y'], Tensor)");
}

TEST(CaptureReadsTest, ItemsOfAListAreReadOneByOne) {
  auto second = [](int64_t head, int64_t middle, int64_t tail) {
    return ValueList{readsList({vectorOf(head), number(middle), vectorOf(tail)})};
  };
  for (const char* body : {"return parts[0] * 2", "return parts[-3] * 2", "s = parts[0]\nreturn s * 2, parts"}) {
    EXPECT_EQ(again("parts", body, second(2, 1, 2), second(2, 5, 3)), "") << body;
    EXPECT_EQ(again("parts", body, second(2, 1, 2), second(3, 1, 2)), "tensor 'L['parts'][0]" + std::string(kLonger))
        << body;
  }
  for (const char* body :
       {"return parts[0] * parts[1]", "n = parts[1]\nreturn parts[0] * 2, n", "a, n, b = parts\nreturn a * 2, n",
        "return parts[0] * 2, [*parts][1]", "return parts[0] * 2, parts[0:2]", "return parts[0] * 2, parts.copy()",
        "parts.append(1)\nreturn parts[0] * 2", "parts[2] = 1\nreturn parts[0] * 2",
        "for each in parts:\n    held = each\nreturn parts[0] * 2"}) {
    EXPECT_EQ(again("parts", body, second(2, 1, 2), second(2, 5, 2)), "L['parts'][1] == 1") << body;
    EXPECT_EQ(again("parts", body, second(2, 1, 2), second(2, 1, 3)), "") << body;
  }
  EXPECT_EQ(again("parts", "return parts[0] * len(parts)", second(2, 1, 2), {readsList({vectorOf(2), number(1)})}),
            "len(L['parts']) == 3");
  EXPECT_EQ(
      again("parts", "return parts[0] * 2", second(2, 1, 2), {readsList({vectorOf(2), vectorOf(1), vectorOf(2)})}),
      "___check_constant(L['parts'][1])");
}

TEST(CaptureReadsTest, ItemsOfADictAreReadOneByOne) {
  const ValueList first = {readsDict({{"a", vectorOf(2)}, {"n", number(1)}})};
  const ValueList longer = {readsDict({{"a", vectorOf(3)}, {"n", number(1)}})};
  const ValueList other = {readsDict({{"a", vectorOf(2)}, {"n", number(2)}})};
  EXPECT_EQ(again("table", "return table['a'] * 2", first, other), "");
  EXPECT_EQ(again("table", "return table.get('a') * 2", first, other), "");
  EXPECT_EQ(again("table", "return table['n'] * 2", first, longer), "");
  EXPECT_EQ(again("table", "return torch.ones(2) * ('a' in table)", first, other), "");
  EXPECT_EQ(again("table", "return table['a'] * table.get('n')", first, other), "L['table']['n'] == 1");
  EXPECT_EQ(again("table", "return table['a'] * 2, table.values()", first, other), "L['table']['n'] == 1");
}

TEST(CaptureReadsTest, WhereATensorLiesIsReadOfThatTensorAlone) {
  auto at = [](int64_t offset) { return at::arange(4, at::kFloat).narrow(0, offset, 2); };
  EXPECT_EQ(again("x, y", "return x + y.storage_offset()", {at(0), at(0)}, {at(1), at(0)}), "");
  EXPECT_EQ(again("x, y", "return x + y.storage_offset()", {at(0), at(0)}, {at(0), at(1)}),
            "tensor 'L['y']' storage offset mismatch. expected 0, actual 1");
  EXPECT_EQ(again("x, y", "return x + y.view(1, 2).storage_offset()", {at(0), at(0)}, {at(0), at(1)}),
            "tensor 'L['y']' storage offset mismatch. expected 0, actual 1");
  EXPECT_EQ(again("x, y", "return x + y.clone().storage_offset()", {at(0), at(0)}, {at(0), at(1)}), "");
  const at::Tensor leaf = at::ones({2}).requires_grad_();
  const at::Tensor inner = leaf * 2;
  EXPECT_EQ(again("x, y", "return x * y.is_leaf", {leaf, leaf.detach().clone()}, {inner, leaf.detach().clone()}), "");
  EXPECT_EQ(again("x, y", "return x * y.is_leaf", {leaf.detach(), leaf}, {leaf.detach(), inner}),
            "tensor 'L['y']' is_leaf mismatch. expected 1, actual 0");
}

TEST(CaptureReadsTest, TheReasonOfARecompileIsThatOfTheCodeThatComesClosest) {
  const language::Case theCase = caseOfProgram({"", "1", "x, y", "return x * 2 + y.sum()"});
  const auto program = capture::captureProgram(theCase, {});
  auto call = [&](at::ScalarType dtype, int64_t elements) {
    ValueList arguments = {at::ones({2}, dtype), vectorOf(elements)};
    (*program)(arguments);
  };
  call(at::kFloat, 2);
  call(at::kDouble, 2);
  call(at::kFloat, 3);
  EXPECT_EQ(program->report().recompiles,
            (std::vector<std::string>{"tensor 'L['x']' dtype mismatch. expected Float, actual Double",
                                      "tensor 'L['y']" + std::string(kLonger)}));
}

} // namespace
} // namespace touchstone::tests
