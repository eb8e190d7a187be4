#pragma once

#include "program/evaluator/Expressions.h"

#include <map>
#include <memory>
#include <string>

namespace touchstone::evaluator {

/// A function of the file, a function inside another, or a lambda, as a value.
class Closure : public values::FunctionObject {
 public:
  /// What it is made of. `enclosing` and `scope` are null of a function of the file.
  struct Parts {
    std::shared_ptr<const language::Function> function;
    std::string qualifiedName; // `program.<locals>.f`
    values::ValueList defaults;
    std::shared_ptr<Environment> enclosing;
    std::shared_ptr<const Scope> scope;
    std::shared_ptr<const OwnedProgram> program;
    std::shared_ptr<Evaluator::State*> state; // of whoever made it; null in it when that is gone
  };
  explicit Closure(Parts parts) : parts_(std::move(parts)) {}

  std::string name() const override { return parts_.function->name; }
  values::Value call(values::ValueList positional, Keywords keywords) const override;
  const Parts& parts() const { return parts_; }
  bool isInner() const { return parts_.scope != nullptr; }
  /// The same text with the same defaults; the variables around it are not looked at.
  bool isSame(const Closure& other) const;

 private:
  const Parts parts_;
};

/// The same function, or two that were made of the same text with the same defaults or options; the variables around them are not
/// looked at.
bool isSameFunction(const values::FunctionPtr& left, const values::FunctionPtr& right);

/// Makes functions values.
class FunctionValues {
 public:
  /// `owned`: the Case and the options of the state, when something holds them already.
  FunctionValues(Evaluator::State& state, std::shared_ptr<const OwnedProgram> owned)
      : state_(state), owned_(std::move(owned)) {}

  values::Value ofFile(const language::Function& function); // the same each time
  values::Value ofCustomFunction(const language::CustomFunction& function); // its `apply`
  values::Value inner(const std::shared_ptr<const language::Function>& function, Frame& frame);
  values::Value lambda(const language::Expr& lambda, Frame& frame);
  values::FunctionPtr ofModule(const values::ModulePtr& module); // its call
  /// `torch.utils.checkpoint.checkpoint(function, …)`.
  values::Value checkpointed(CallArguments given);
  /// `torch.cond(…)` and the like, by the path behind `torch`.
  values::Value controlFlow(const std::string& path, const CallArguments& given);

  /// The value with functions that another evaluation has made as those of this one; what loosened() has cut loose gets these
  /// variables. Lists and dicts are changed in place.
  values::Value adopted(const values::Value& value, const std::shared_ptr<Environment>& environment);

  /// The Case and the options of the state, held for whoever runs its functions when others may be gone.
  std::shared_ptr<const OwnedProgram> owned();

 private:
  values::FunctionPtr adopted(const values::FunctionPtr& function, // null: as it is
                              const std::shared_ptr<Environment>& environment);

  Evaluator::State& state_;
  std::shared_ptr<const OwnedProgram> owned_; // made when it is first needed
  std::map<std::string, values::Value> ofFile_;
};

/// The value with each function that was made in this environment cut loose from it: for who keeps the variables elsewhere and
/// makes it whole again with FunctionValues::adopted(). Lists and dicts are changed in place. Throws Unsupported for a function
/// that knows variables of another function, or a tensor as a default, and for one that PyTorch has made of another.
values::Value loosened(const values::Value& value, const Environment& environment);
/// Throws Unsupported where loosened() would for any environment.
void refuseVariablesAround(const values::Value& value);

} // namespace touchstone::evaluator
