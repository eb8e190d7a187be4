#pragma once

namespace touchstone::compiled_autograd {

/// While it lives, a compiled Graph of a backward runs on this thread: see isInCompiledAutogradRegion().
class RegionScope {
 public:
  RegionScope();
  ~RegionScope();
  RegionScope(const RegionScope&) = delete;
  RegionScope& operator=(const RegionScope&) = delete;

 private:
  bool outer_;
};

} // namespace touchstone::compiled_autograd
