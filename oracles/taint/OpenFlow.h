#pragma once

#include "oracles/taint/OpenValues.h"
#include "oracles/taint/OverlapWrites.h"

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
/// Appends the tensors of a stack entry: a tensor, or lists and tuples of them.
void collectTensorsOf(const c10::IValue& value, std::vector<at::Tensor>& tensors);

/// Carries what is open through the operator calls of a run. Elementwise operators carry it element by element, views
/// not at all (their storage has it); what another operator computes from an open element is open as a whole.
class OpenFlow {
 public:
  /// Starts a call of the Program; with `sameObjects` what is open of the arguments stays so.
  void begin(bool sameObjects);
  void know(const at::Tensor& tensor) { storages_.know(tensor); }

  /// Around each operator call: arguments on the stack, then results. `overlap`: what was noticed of this call alone.
  void before(const c10::OperatorHandle& op, const torch::jit::Stack& stack);
  void after(const c10::OperatorHandle& op, const std::vector<at::Tensor>& results, const OverlapWrites& overlap);
  /// Opens one result of the last call, or all that follows, because rounding decides about it.
  void openByRounding(const at::Tensor& changed, const std::vector<at::Tensor>& results);
  void openAllByRounding() { everything_ |= kOpenByRounding; }

  const OpenStorages& storages() const { return storages_; }
  /// Leaf → what leaves its gradient open when the backward starts at `root`.
  std::map<const c10::TensorImpl*, OpenMask> leavesFrom(const at::Tensor& root) const {
    return nodes_.leavesFrom(root);
  }
  /// What leaves all gradients from this root open: nobody saw where it comes from.
  OpenMask unseen(const at::Tensor& root) const { return storages_.knows(root) ? 0 : nodes_.anywhere(); }
  OpenMask everything() const { return everything_; }
  OpenMask numbers() const { return numbers_; }
  /// The last call handed the Program a number from open elements.
  bool readOpenNumber() const { return readOpenNumber_; }
  OpenMask anywhere() const { return storages_.anywhere() | nodes_.anywhere() | everything_; }

 private:
  /// Masks of one argument as they were before the call, and whether its elements map to those of the result.
  struct Read {
    at::Tensor masks;
    bool elementwise = false;
  };
  at::Tensor masksOfResult(std::string_view name, at::IntArrayRef sizes) const;
  void noteOverlap(const at::Tensor& written, bool whole);

  OpenStorages storages_;
  OpenNodes nodes_;
  OpenMask everything_ = 0, numbers_ = 0;

  // Of the call between before() and after().
  std::vector<Read> reads_;
  std::vector<at::Tensor> readTensors_, writes_;
  std::vector<c10::IValue> arguments_;
  OpenMask whole_ = 0, any_ = 0;
  bool readOpenNumber_ = false;
};

} // namespace touchstone::taint
