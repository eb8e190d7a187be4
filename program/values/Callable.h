#pragma once

#include "program/values/DimensionMark.h"
#include "program/values/Value.h"

#include <memory>
#include <optional>
#include <string>

namespace touchstone::values {

/// A Program in a form that can be called: eager, compiled, native or Python. Oracles run nothing else.
class Callable {
 public:
  virtual ~Callable() = default;

  /// Calls with the arguments of the Program, in order, and returns what it returned. Boxed: the callee may take the
  /// arguments out of the vector to free them early. Arguments that are tensors are the caller's very objects.
  /// Throws RaisedException, or whatever libtorch throws.
  virtual Value operator()(ValueList& arguments) = 0;

  /// Calls another function of the Case, one that makes inputs or runs between forward and backward, where it takes what runs the
  /// Program; none where any evaluator can.
  virtual std::optional<Value> callFunction(const std::string& /*name*/, ValueList& /*arguments*/) {
    return std::nullopt;
  }

  /// Told of a mark of a tensor that calls will get, before they do. Who knows no symbolic sizes passes it over.
  virtual void mark(const at::Tensor& /*tensor*/, const DimensionMark& /*mark*/) {}

  /// What the backwards of its results need around them, until the returned object dies; null: nothing.
  virtual std::shared_ptr<void> backwardScope() { return nullptr; }
};

} // namespace touchstone::values
