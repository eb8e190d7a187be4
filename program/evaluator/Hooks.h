#pragma once

#include "graph/runtime/GraphCallable.h"
#include "program/language/Case.h"
#include "program/values/Value.h"

#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/function_hook.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace touchstone::evaluator {

/// `register_hook` and `register_post_accumulate_grad_hook`.
bool isHookRegistration(const std::string& method);

/// In which backward nothing is to be done where no gradient comes, as none of eager's nodes leads there.
class PassedBy {
 public:
  void markIn(int task) { task_ = task; }
  /// For the backward that runs now; forgets it.
  bool take(const torch::autograd::variable_list& gradients);

 private:
  static constexpr int kNever = -2; // autograd numbers backwards from 0, and -1 is outside of its engine

  int task_ = kNever;
};

/// A node that does something also where no gradient comes to it: functions and hooks in Python are given zeros.
class RunsWithoutGradient : public torch::autograd::Node {
 protected:
  /// In a backward in which CompiledNode::leadNowhere() has named a way here, if no gradient came: eager would not have come.
  bool isPassedBy(const torch::autograd::variable_list& gradients) { return passedBy_.take(gradients); }

 private:
  friend class CompiledNode;

  PassedBy passedBy_;
};

/// A node of autograd's graph that stands for many of eager's.
class CompiledNode : public RunsWithoutGradient {
 public:
  /// True when eager would hand on more as the gradient of what is this output than comes to the node there: of other
  /// outputs as well.
  virtual bool isPartial(size_t output) const = 0;
  /// Its backward is for the sizes of its call alone, also where it is traced with others.
  virtual bool hasSizesBuiltIn() const { return true; }

 protected:
  /// Called by its backward on the thread on which autograd goes on. Of eager's nodes none leads from the gradients that
  /// it got to these edges: no hook there or behind them, which autograd is about to ask with no gradient, is to be asked, and
  /// no node is to run, that gets a gradient from nowhere else.
  /// `others`: the edges that they lead to, behind which all runs as in eager.
  static void leadNowhere(const torch::autograd::edge_list& edges, const torch::autograd::edge_list& others);
};

/// Hooks that belong to what a CompiledNode stands for, not to a tensor that has the node.
class CompiledNodeHooks : public torch::autograd::FunctionPreHook {};

/// What a Program's hook does with a gradient; false `active` after `handle.remove()`.
struct ProgramHook {
  std::string name; // of the function of the file, for messages
  std::function<values::Value(const values::Value& gradient)> call;
  bool active = true;
};

/// Throws Unsupported where the tensor's node is a CompiledNode that gets a part of the gradient only: hooks, `retain_grad`
/// and `torch.autograd.grad` would see that part.
void refusePartialGradient(const at::Tensor& tensor);

/// Whether hooks on its gradient were registered on it (or on what it was before a write in place).
bool hasHooks(const at::Tensor& tensor);

enum class HookKind { kGradient, kAfterAccumulation };

/// A hook that calls a function of the Case: of a copy of it, so that the hook may outlive the Case. Throws
/// std::invalid_argument for a name that the Case has not.
std::shared_ptr<ProgramHook> hookOf(const language::Case& theCase, const std::string& function);

/// As Tensor.register_hook and Tensor.register_post_accumulate_grad_hook. Throws what these throw (RaisedException), and
/// what refusePartialGradient() throws.
void registerHook(const at::Tensor& tensor, HookKind kind, std::shared_ptr<ProgramHook> hook);

/// The registration as a call that a Graph can hold; each run of it registers a hook of its own and returns its handle.
runtime::CallableCall hookRegistration(const at::Tensor& tensor, HookKind kind,
                                       const std::shared_ptr<ProgramHook>& hook);

/// While it lives, is asked on this thread before a hookRegistration() gives its hook to autograd; true: it was taken.
class HookTaker {
 public:
  using Take = std::function<bool(const at::Tensor& tensor, HookKind kind, const std::shared_ptr<ProgramHook>& hook)>;
  explicit HookTaker(Take take);
  ~HookTaker();
  HookTaker(const HookTaker&) = delete;
  HookTaker& operator=(const HookTaker&) = delete;
  static const HookTaker* current();
  const Take take;

 private:
  const HookTaker* outer_;
};

/// Hooks on the gradient of a tensor, as autograd runs them: in order of registration, each given what the one before
/// returned. Visible, so that who walks or captures the autograd graph can tell it from others and run it as it is.
class ProgramTensorHook : public torch::autograd::FunctionPreHook {
 public:
  explicit ProgramTensorHook(size_t position) : position_(position) {}
  torch::autograd::variable_list operator()(const torch::autograd::variable_list& gradients) override;
  void compiled_args(torch::dynamo::autograd::CompiledNodeArgs& args) const override;
  void add(std::shared_ptr<ProgramHook> hook) { hooks_.push_back(std::move(hook)); }
  size_t position() const { return position_; } // among the gradients that the node gets

 private:
  friend class CompiledNode;

  std::vector<std::shared_ptr<ProgramHook>> hooks_;
  size_t position_;
  PassedBy passedBy_;
};

/// Hooks that run after a leaf's `.grad` was written, in order of registration.
class ProgramAccumulateHooks : public torch::autograd::PostAccumulateGradHook {
 public:
  void operator()(const torch::autograd::Variable& tensor) override;
  void add(std::shared_ptr<ProgramHook> hook) { hooks_.push_back(std::move(hook)); }

 private:
  std::vector<std::shared_ptr<ProgramHook>> hooks_;
};

} // namespace touchstone::evaluator
