#pragma once

#include "program/values/Value.h"

#include <ATen/core/grad_mode.h>
#include <ATen/functorch/DynamicLayer.h>

#include <optional>

namespace touchstone::transforms {

/// The innermost layer, for what is called under it without being an operator (`torch/_functorch/pyfunctorch.py`).
class Innermost {
 public:
  Innermost(); // there must be one

  bool isVmap() const;
  /// Of grad, vjp and jvp: every tensor in the value wrapped for the layer, unless it is; and taken out again.
  values::Value lifted(const values::Value& value) const;
  values::Value unwrapped(const values::Value& value) const;
  /// What came of unwrapped arguments, wrapped; one of these stands for the argument that it was.
  values::Value wrapped(const values::Value& returned, const values::ValueList& unwrapped,
                        const values::ValueList& arguments) const;

 private:
  friend class WithoutInnermost;

  at::functorch::DynamicLayer layer_;
};

/// While it lives, the innermost layer is not there, and gradients are taken as they were when it was put there.
class WithoutInnermost {
 public:
  explicit WithoutInnermost(const Innermost& innermost);
  ~WithoutInnermost();
  WithoutInnermost(const WithoutInnermost&) = delete;
  WithoutInnermost& operator=(const WithoutInnermost&) = delete;

 private:
  at::functorch::DynamicLayer layer_;
  std::optional<at::AutoGradMode> gradients_;
  std::optional<c10::AutoFwGradMode> forwardGradients_;
};

} // namespace touchstone::transforms
