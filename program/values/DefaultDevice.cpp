#include "program/values/DefaultDevice.h"

#include <c10/core/impl/VirtualGuardImpl.h>
#include <c10/util/Exception.h>

#include <stdexcept>

namespace touchstone::values {

namespace {

thread_local c10::Device currentDevice{c10::kCPU};

/// `cuda` is the one of them that the thread uses now; tensors say which that is.
c10::Device withIndex(c10::Device device) {
  if (device.is_cpu() || device.is_meta() || device.has_index()) {
    return device;
  }
  return c10::impl::VirtualGuardImpl(device.type()).getDevice();
}

} // namespace

c10::Device defaultDevice() {
  return currentDevice;
}

c10::Device deviceNamed(const std::string& name) {
  try {
    return c10::Device(name);
  } catch (const c10::Error&) {
    throw std::invalid_argument("`" + name + "` is no device; expected a name such as `cpu`, `cuda` or `cuda:1`");
  }
}

c10::Device deviceOf(const language::Case& theCase) {
  const std::optional<std::string> name = theCase.header(language::kDeviceHeader);
  return name ? deviceNamed(*name) : c10::Device(c10::kCPU);
}

DefaultDeviceScope::DefaultDeviceScope(c10::Device device)
    : before_(currentDevice), autograd_(c10::AutogradState::get_tls_state()) {
  currentDevice = withIndex(device);
  if (!device.is_cpu()) {
    c10::AutogradState::get_tls_state().set_multithreading_enabled(false);
  }
}

DefaultDeviceScope::~DefaultDeviceScope() {
  if (!currentDevice.is_cpu()) {
    c10::AutogradState::set_tls_state(autograd_);
  }
  currentDevice = before_;
}

} // namespace touchstone::values
