#pragma once

#include "program/language/Case.h"

#include <c10/core/AutogradState.h>
#include <c10/core/Device.h>

#include <string>

namespace touchstone::values {

/// Where, on this thread, a Program's factories and `data` make tensors that are not told where: what
/// `torch.set_default_device` sets. The CPU where nobody said otherwise.
c10::Device defaultDevice();

/// The device of a Case's `# device:` line, on which its tensors live; the CPU without one. Throws std::invalid_argument for a
/// name that is no device's.
c10::Device deviceOf(const language::Case& theCase);
c10::Device deviceNamed(const std::string& name);

/// Makes a device the default one, and runs backwards on the thread that asks for them: the engine's threads for devices know
/// nothing of what is set here.
class DefaultDeviceScope {
 public:
  explicit DefaultDeviceScope(c10::Device device);
  ~DefaultDeviceScope();
  DefaultDeviceScope(const DefaultDeviceScope&) = delete;
  DefaultDeviceScope& operator=(const DefaultDeviceScope&) = delete;

 private:
  c10::Device before_;
  c10::AutogradState autograd_;
};

} // namespace touchstone::values
