#pragma once

#include <c10/core/DeviceType.h>
#include <c10/core/ScalarType.h>

#include <string>

namespace touchstone::values {

/// Autocast of one device as a thread may have it.
class AutocastState {
 public:
  /// As this thread has it when the object is made.
  explicit AutocastState(c10::DeviceType device = c10::DeviceType::CPU);
  AutocastState(c10::DeviceType device, c10::ScalarType dtype, bool isEnabled, bool isCached)
      : device_(device), dtype_(dtype), isEnabled_(isEnabled), isCached_(isCached) {}

  c10::DeviceType device() const { return device_; }
  c10::ScalarType dtype() const { return dtype_; }
  bool isEnabled() const { return isEnabled_; }
  bool isCached() const { return isCached_; }

  std::string text() const; // the same for equal states
  /// The same, but each use of a tensor casts it anew.
  AutocastState withoutCache() const;
  void set() const;

 private:
  c10::DeviceType device_;
  c10::ScalarType dtype_;
  bool isEnabled_;
  bool isCached_; // of all devices
};

/// While it lives, autocast is as the state says; what was cast before is not taken again afterwards.
class AutocastScope {
 public:
  explicit AutocastScope(const AutocastState& state);
  ~AutocastScope();
  AutocastScope(const AutocastScope&) = delete;
  AutocastScope& operator=(const AutocastScope&) = delete;

 private:
  const AutocastState before_;
};

} // namespace touchstone::values
