#pragma once

#include "program/evaluator/Evaluator.h"

namespace touchstone::evaluator {

/// Tells whoever watches an evaluation what it is about to do, as EvaluatorOptions ask for it.
class Watchers {
 public:
  explicit Watchers(const EvaluatorOptions& options) : options_(options) {}

  bool takeCallables() const { return options_.onCallable != nullptr; }
  bool tellsIntegers() const { return options_.onIntegers != nullptr; }
  /// Runs the call, or has whoever takes callables make it.
  values::Value call(const runtime::CallableCall& call) const {
    return options_.onCallable ? options_.onCallable(call) : call.run(call.arguments);
  }
  void cannotCapture(const char* what) const {
    if (options_.onUncapturable) {
      options_.onUncapturable(what);
    }
  }
  void marks(const at::Tensor& tensor, const values::DimensionMark& mark) const {
    if (options_.onMark) {
      options_.onMark(tensor, mark);
    }
  }
  void reads(const values::Value& value) const {
    if (options_.reads != nullptr) {
      options_.reads->whole(value);
    }
  }
  void readsItem(const values::Value& object, const values::Value& index) const;
  void readsAttribute(const values::Value& object, const std::string& name) const; // or a method
  void writesAttribute(const values::Value& object, const std::string& name) const;
  void readsItems(const values::Value& object) const;
  /// Of other values than two ints nothing is told.
  void usesIntegers(const std::string& op, const values::Value& left, const values::Value& right) const {
    if (options_.onIntegers && left.is<int64_t>() && right.is<int64_t>()) {
      options_.onIntegers(op, left.as<int64_t>(), right.as<int64_t>());
    }
  }
  void readsIdentity() const {
    if (options_.onIdentity) {
      options_.onIdentity();
    }
  }

 private:
  const EvaluatorOptions& options_;
};

} // namespace touchstone::evaluator
