#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/record_function.h>

#include <functional>
#include <memory>

namespace touchstone::taint {

/// While it lives, watches this thread for operators, those inside of others included, whose result lies in an operand's
/// memory although neither their schema nor autograd says so: it has a version of its own (`_unsafe_view`, which `kron`
/// calls), and what changes the one goes unnoticed where the other was saved.
class HiddenSharing {
 public:
  /// Only operands for which `counts` is true count.
  explicit HiddenSharing(std::function<bool(const at::Tensor& operand)> counts);
  ~HiddenSharing();
  HiddenSharing(const HiddenSharing&) = delete;
  HiddenSharing& operator=(const HiddenSharing&) = delete;

  bool seen() const { return seen_; }

 private:
  static std::unique_ptr<at::ObserverContext> atStart(const at::RecordFunction& function);
  static void atEnd(const at::RecordFunction& function, at::ObserverContext* context);

  std::function<bool(const at::Tensor& operand)> counts_;
  HiddenSharing* outer_;
  at::CallbackHandle handle_;
  bool seen_ = false;
};

} // namespace touchstone::taint
