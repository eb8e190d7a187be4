#pragma once

#include "program/evaluator/Evaluator.h"

#include <c10/core/TensorImpl.h>
#include <c10/util/intrusive_ptr.h>

#include <vector>

namespace touchstone::features {

/// Frees the tensors that a Program leaves behind in cycles.
///
/// A write to a tensor that saves a view of the same tensor for its backward (`a[0].mul_(a[1])`) makes one: the node owns
/// the view, the view its base, the base the node. So does a write of what depends on a leaf to a tensor of which the leaf
/// is a view. Nobody frees that but who cuts it.
class AutogradCycles {
 public:
  AutogradCycles() = default;
  AutogradCycles(const AutogradCycles&) = delete;
  AutogradCycles& operator=(const AutogradCycles&) = delete;
  ~AutogradCycles() { release(); }

  /// For EvaluatorOptions::onOperation: runs the operation and remembers, without keeping them alive, what it returned.
  evaluator::OperationHook hook();
  /// Cuts what is still alive. To be called when whoever ran the Program has let go of its values.
  void release();

 private:
  void remember(const c10::IValue& value);

  std::vector<c10::weak_intrusive_ptr<c10::TensorImpl>> returned_;
};

} // namespace touchstone::features
