#pragma once

#include "program/values/Value.h"

#include <optional>
#include <string>

namespace touchstone::evaluator {

/// What becomes of the value of an expression.
enum class Use {
  kWhole, // all of it may decide something: operands, arguments of operators, conditions
  kMoved, // it is bound to a name, put into a container, given to a function of the file or returned
  kOpened, // something is taken out of it, which the evaluator then tells by itself
};

/// What a Program may ask of a tensor that is no part of its type.
enum class Fact {
  kOffset, // where it lies in its storage
  kLeaf, // whether it is a leaf and retains its gradient; what fails for a leaf alone
  kSharing, // how it lies in memory beside other tensors
  kBase, // whether what it is a view of requires grad: views made under no_grad do then
  kHooks, // whether gradients that are asked for inside the Program may meet hooks on it
};

/// Told what a Program looks at while it runs, so that whoever keeps its results knows what they hang on. Values that are
/// only moved are not looked at. Conservative: more may be told than what decides something.
class ReadObserver {
 public:
  virtual ~ReadObserver() = default;
  /// The value, and what is in it.
  virtual void whole(const values::Value& value) = 0;
  /// What a container or module has at a key is taken out, or replaced: `[0]` of a list, the key of a dict, an attribute.
  virtual void item(const values::Value& container, const std::string& key) = 0;
  /// Every item is taken out.
  virtual void items(const values::Value& container) = 0;
  virtual void fact(const at::Tensor& tensor, Fact fact) = 0;
};

/// What an attribute, a method or an operator (without `aten::`) asks for.
std::optional<Fact> factAskedBy(const std::string& name);
/// `[3]`: the key of a list's item.
std::string itemKey(size_t index);

} // namespace touchstone::evaluator
