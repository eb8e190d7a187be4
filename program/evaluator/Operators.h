#pragma once

#include "program/evaluator/Watchers.h"
#include "program/semantics/Containers.h"
#include "program/semantics/Parameters.h"

namespace touchstone::evaluator {

using namespace semantics;

/// Python's operators on values of any kind.
class Operators {
 public:
  Operators(Containers& containers, Limits& limits, const Watchers& watchers, const Parameters& parameters,
            const torch_names::Dispatch& dispatch)
      : containers_(containers), limits_(limits), watchers_(watchers), parameters_(parameters), dispatch_(dispatch) {}

  values::Value binary(const std::string& op, const values::Value& left, const values::Value& right);
  values::Value unary(const std::string& op, const values::Value& operand);
  /// `target += value`; `op` without the `=`. Returns the new value of the target.
  values::Value augmented(const std::string& op, const values::Value& target, const values::Value& value);
  values::Value compare(const std::string& op, const values::Value& left, const values::Value& right);
  bool truth(const values::Value& value);

 private:
  bool equal(const values::Value& left, const values::Value& right); // inside containers: the same object, or equal
  bool sameItems(const values::ValueList& left, const values::ValueList& right);
  bool sameEntries(const values::DictObject& left, const values::DictObject& right);
  bool isEqual(const values::Value& left, const values::Value& right); // by `==`; neither is a tensor
  bool contains(const values::Value& container, const values::Value& item);
  values::Value concatenated(const values::Value& left, const values::Value& right);
  values::Value repeated(const values::Value& sequence, int64_t times);

  Containers& containers_;
  Limits& limits_;
  const Watchers& watchers_;
  const Parameters& parameters_;
  const torch_names::Dispatch& dispatch_;
};

} // namespace touchstone::evaluator
