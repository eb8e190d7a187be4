#pragma once

#include "program/control_flow/Tensors.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace touchstone::control_flow {

/// What one call of an operator of control flow in a Program does: the operator is `touchstone::cond(Tensor[] arguments, int region) ->
/// Tensor[]` and the like, and this is what the number stands for.
class Region {
 public:
  virtual ~Region() = default;

  virtual std::string name() const = 0; // of the operator
  virtual std::string text() const = 0; // regions with the same one do the same
  /// Below autograd.
  virtual TensorList run(const TensorList& arguments) const = 0;
  /// Results without values, of arguments without. Without one of its own a region runs on zeros.
  virtual TensorList fake(const TensorList& arguments) const;

  /// What autograd calls the node.
  virtual std::string nodeName() const { return {}; }
  /// The region of the backward: of the arguments, and behind them a gradient of each result, it makes the gradients of the
  /// arguments that want one. Null: there is none.
  virtual std::shared_ptr<const Region> backward(const std::vector<bool>& wanted) const = 0;
  /// In PyTorch, gradients of it have a history where one is asked for. Here they have none.
  virtual bool isDifferentiableAgain() const { return false; }
  /// Whether arguments are saved for the backward; otherwise it reads what is in them then, as often as it is asked to.
  virtual bool savesArguments() const { return true; }
  /// Whether a result is a view of a tensor that nobody else has.
  virtual bool makesView(size_t) const { return false; }
  /// Arguments at the start that are no part of what is differentiated: they are kept and not saved.
  virtual size_t keptArguments() const { return 0; }
};

/// A region is known by its number for as long as a hundred others have not come after it: a Graph that is older must not be called.
int64_t numberOf(const std::shared_ptr<const Region>& region);
std::shared_ptr<const Region> regionOf(int64_t number);

} // namespace touchstone::control_flow
