#pragma once

#include "graph/ir/Graph.h"

#include <ATen/core/ivalue.h>
#include <c10/core/SymInt.h>
#include <c10/core/SymNodeImpl.h>

#include <cstddef>
#include <cstdint>
#include <optional>

namespace touchstone::fake {

/// A number that a trace gets from outside: an operator that is called with it reads a placeholder of the Graph. To code it is
/// the number: what is computed from it or compared with it is a plain one.
class LiftedSize {
 public:
  LiftedSize(size_t index, int64_t value);
  c10::SymInt asSymInt() const;

  /// -1: no operator has read it.
  ir::NodeId node() const;
  size_t index() const;
  int64_t value() const;

 private:
  class Node;
  Node& held() const;

  c10::SymNode node_;

  friend ir::Argument liftedArgument(const c10::IValue& value, ir::Argument plain, ir::Graph& graph);
};

/// The value with plain numbers in place of lifted ones; nothing: it has none.
std::optional<c10::IValue> withoutLiftedSizes(const c10::IValue& value);
/// `plain`, the argument for withoutLiftedSizes(), with the placeholders of lifted ones in place of numbers. A placeholder is added
/// where a number is read first.
ir::Argument liftedArgument(const c10::IValue& value, ir::Argument plain, ir::Graph& graph);

} // namespace touchstone::fake
