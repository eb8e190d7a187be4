#include "backends/fake/LiftedSize.h"

#include "graph/ir/Arguments.h"

#include <c10/core/ConstantSymNodeImpl.h>
#include <c10/core/SymNodeImpl.h>
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

namespace touchstone::fake {

using c10::SymNode;

namespace {

constexpr size_t kNone = SIZE_MAX; // the index of a number that is computed with one that is lifted

SymNode plain(int64_t value) {
  return c10::make_intrusive<c10::ConstantSymNodeImpl<int64_t>>(value);
}

SymNode truth(bool value) {
  return c10::make_intrusive<c10::ConstantSymNodeImpl<bool>>(value);
}

int64_t numberOf(const SymNode& node) {
  return node->guard_int(__FILE__, __LINE__);
}

bool isLifted(const c10::IValue& value) {
  return value.isSymInt();
}

c10::IValue plainOf(const c10::IValue& value) {
  return isLifted(value) ? c10::IValue(value.toSymInt().guard_int(__FILE__, __LINE__)) : value;
}

} // namespace

class LiftedSize::Node final : public c10::SymNodeImpl {
 public:
  Node(size_t index, int64_t value) : index_(index), value_(value) {}

  bool is_int() override { return true; }
  bool is_bool() override { return false; }
  bool is_float() override { return false; }
  int64_t guard_int(const char*, int64_t) override { return value_; }
  int64_t int_() override { return value_; }
  bool has_hint() override { return true; }
  std::string str() override { return fmt::format("sizes[{}]", index_); }
  SymNode clone() override { return c10::intrusive_ptr<SymNodeImpl>::reclaim_copy(this); }
  SymNode wrap_int(int64_t number) override { return plainNode(number); }
  SymNode wrap_bool(bool value) override { return truth(value); }
  SymNode add(const SymNode& other) override { return plain(value_ + numberOf(other)); }
  SymNode sub(const SymNode& other) override { return plain(value_ - numberOf(other)); }
  SymNode mul(const SymNode& other) override { return plain(value_ * numberOf(other)); }
  SymNode floordiv(const SymNode& other) override { return plain(value_ / numberOf(other)); }
  SymNode mod(const SymNode& other) override { return plain(value_ % numberOf(other)); }
  SymNode neg() override { return plain(-value_); }
  SymNode sym_min(const SymNode& other) override { return plain(std::min(value_, numberOf(other))); }
  SymNode sym_max(const SymNode& other) override { return plain(std::max(value_, numberOf(other))); }
  SymNode eq(const SymNode& other) override { return truth(value_ == numberOf(other)); }
  SymNode ne(const SymNode& other) override { return truth(value_ != numberOf(other)); }
  SymNode gt(const SymNode& other) override { return truth(value_ > numberOf(other)); }
  SymNode lt(const SymNode& other) override { return truth(value_ < numberOf(other)); }
  SymNode le(const SymNode& other) override { return truth(value_ <= numberOf(other)); }
  SymNode ge(const SymNode& other) override { return truth(value_ >= numberOf(other)); }

  ir::NodeId nodeIn(ir::Graph& graph) {
    if (read_ < 0) {
      read_ = graph.addPlaceholder(fmt::format("sizes_{}", index_));
    }
    return read_;
  }

  const size_t index_;
  const int64_t value_;
  ir::NodeId read_ = -1;

 private:
  /// A number on the left of an operator decides how it is computed.
  static SymNode plainNode(int64_t number) { return c10::make_intrusive<Node>(kNone, number); }
};

LiftedSize::LiftedSize(size_t index, int64_t value) : node_(c10::make_intrusive<Node>(index, value)) {}

LiftedSize::Node& LiftedSize::held() const {
  return static_cast<Node&>(*node_);
}

c10::SymInt LiftedSize::asSymInt() const {
  return c10::SymInt(node_);
}

ir::NodeId LiftedSize::node() const {
  return held().read_;
}

size_t LiftedSize::index() const {
  return held().index_;
}

int64_t LiftedSize::value() const {
  return held().value_;
}

std::optional<c10::IValue> withoutLiftedSizes(const c10::IValue& value) {
  if (isLifted(value)) {
    return plainOf(value);
  }
  if (!value.isList()) {
    return std::nullopt;
  }
  const c10::ArrayRef<c10::IValue> items = value.toListRef();
  if (std::none_of(items.begin(), items.end(), isLifted)) {
    return std::nullopt;
  }
  c10::List<int64_t> numbers;
  for (const c10::IValue& item : items) {
    numbers.push_back(plainOf(item).toInt());
  }
  return c10::IValue(std::move(numbers));
}

ir::Argument liftedArgument(const c10::IValue& value, ir::Argument plain, ir::Graph& graph) {
  if (isLifted(value)) {
    auto* node = dynamic_cast<LiftedSize::Node*>(value.toSymInt().toSymNode().get());
    return node == nullptr || node->index_ == kNone ? plain : ir::nodeArgument(node->nodeIn(graph));
  }
  auto* container = std::get_if<ir::Argument::Container>(&plain.payload);
  if (container != nullptr && value.isList()) {
    const c10::ArrayRef<c10::IValue> items = value.toListRef();
    for (size_t i = 0; i < items.size(); ++i) {
      container->items[i] = liftedArgument(items[i], std::move(container->items[i]), graph);
    }
  }
  return plain;
}

} // namespace touchstone::fake
