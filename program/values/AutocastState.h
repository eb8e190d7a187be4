#pragma once

#include <c10/core/ScalarType.h>

#include <string>

namespace touchstone::values {

/// Autocast on the CPU as this thread has it when the object is made, to be had again.
class AutocastState {
 public:
  AutocastState();

  std::string text() const; // the same for equal states
  /// The same, but each use of a tensor casts it anew.
  AutocastState withoutCache() const;
  void set() const;

 private:
  bool isEnabled_;
  c10::ScalarType dtype_;
  bool isCached_;
};

/// While it lives, autocast is as the state says; what was cast before is not taken again afterwards.
class AutocastScope {
 public:
  explicit AutocastScope(const AutocastState& state);
  ~AutocastScope();
  AutocastScope(const AutocastScope&) = delete;
  AutocastScope& operator=(const AutocastScope&) = delete;

 private:
  AutocastState before_;
};

} // namespace touchstone::values
