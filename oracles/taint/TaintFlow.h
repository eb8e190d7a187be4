#pragma once

#include "oracles/taint/OverlapWrites.h"
#include "oracles/taint/TaintedValues.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/ivalue.h>
#include <ATen/core/stack.h>

#include <string_view>
#include <vector>

namespace touchstone::taint {

/// The operator's name without namespace and overload.
std::string_view nameOf(const c10::OperatorHandle& op);
/// True for in-place operators that change sizes and strides but no data: `t_`, `unsqueeze_`, … (rule A1).
bool changesMetadataOnly(std::string_view name);
/// The very tensor is in the list.
bool isAmong(const at::Tensor& tensor, const std::vector<at::Tensor>& list);
/// Appends the tensors of a stack entry: a tensor, or lists and tuples of them.
void collectTensorsOf(const c10::IValue& value, std::vector<at::Tensor>& tensors);

/// Carries what is tainted through the operator calls of a run. Elementwise operators carry it element by element, views
/// not at all (their storage has it); what another operator computes from a tainted element is tainted as a whole.
class TaintFlow {
 public:
  /// Starts a call of the Program; with `sameObjects` what is tainted of the arguments stays so.
  void begin(bool sameObjects);
  void know(const at::Tensor& tensor) { storages_.know(tensor); }

  /// Around each operator call: arguments on the stack, then results. `overlap`: what was noticed of this call alone.
  void before(const c10::OperatorHandle& op, const torch::jit::Stack& stack);
  void after(const c10::OperatorHandle& op, const std::vector<at::Tensor>& results, const OverlapWrites& overlap);
  /// Taints one of the results of the last call, and the gradients that go through it.
  void taint(const at::Tensor& changed, const std::vector<at::Tensor>& results, TaintMask mask);
  /// Taints all that follows, because rounding decides about it.
  void taintAllByRounding() { everything_ |= kTaintedByRounding; }

  const TaintedStorages& storages() const { return storages_; }
  /// Leaf → what leaves its gradient unspecified when the backward starts at `root`.
  std::map<const c10::TensorImpl*, TaintMask> leavesFrom(const at::Tensor& root) const {
    return nodes_.leavesFrom(root);
  }
  /// What leaves all gradients from this root unspecified: nobody saw where it comes from.
  TaintMask unseen(const at::Tensor& root) const { return storages_.knows(root) ? 0 : nodes_.anywhere(); }
  TaintMask everything() const { return everything_; }
  TaintMask numbers() const { return numbers_; }
  /// The last call handed the Program a number from tainted elements.
  bool readTaintedNumber() const { return readTaintedNumber_; }
  TaintMask anywhere() const { return storages_.anywhere() | nodes_.anywhere() | everything_; }

 private:
  /// Masks of one argument as they were before the call, and whether its elements map to those of the result.
  struct Read {
    at::Tensor masks;
    bool elementwise = false;
  };
  at::Tensor masksOfResult(std::string_view name, at::IntArrayRef sizes) const;
  void noteOverlap(const at::Tensor& written, bool whole);

  TaintedStorages storages_;
  TaintedNodes nodes_;
  TaintMask everything_ = 0, numbers_ = 0;

  // Of the call between before() and after().
  std::vector<Read> reads_;
  std::vector<at::Tensor> readTensors_, writes_;
  std::vector<c10::IValue> arguments_;
  TaintMask whole_ = 0, any_ = 0;
  bool readTaintedNumber_ = false;
};

} // namespace touchstone::taint
