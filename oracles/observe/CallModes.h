#pragma once

#include "program/language/Case.h"

#include <c10/core/AutogradState.h>
#include <c10/core/DefaultDtype.h>
#include <c10/core/DeviceType.h>
#include <c10/core/InferenceMode.h>

#include <optional>
#include <string>

namespace touchstone::observe {

/// The modes of one forward: grad or inference mode and autocast as the call asks. Restores these and the default dtype,
/// whatever the program did to them.
class CallModes {
 public:
  CallModes(const language::CallSpec& call, c10::DeviceType device);
  ~CallModes();
  CallModes(const CallModes&) = delete;
  CallModes& operator=(const CallModes&) = delete;

  /// `generator 5c1f…, grad on, inference off, autocast off bfloat16, default float` as it is now.
  std::string describe() const;

 private:
  c10::DeviceType device_;
  c10::AutogradState autograd_;
  caffe2::TypeMeta defaultDtype_;
  bool autocastEnabled_;
  at::ScalarType autocastDtype_;
  std::optional<c10::InferenceMode> inference_;
};

} // namespace touchstone::observe
