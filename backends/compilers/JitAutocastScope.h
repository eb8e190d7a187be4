#pragma once

#include <torch/csrc/jit/passes/autocast.h>

namespace touchstone::backends {

/// While it lives, TorchScript writes no casts of autocast into graphs that it optimizes; then as before
/// (torch/_functorch/compilers.py, _disable_jit_autocast). The switch is the process's.
class JitAutocastScope {
 public:
  JitAutocastScope() : outer_(torch::jit::setAutocastMode(false)) {}
  ~JitAutocastScope() { torch::jit::setAutocastMode(outer_); }
  JitAutocastScope(const JitAutocastScope&) = delete;
  JitAutocastScope& operator=(const JitAutocastScope&) = delete;

 private:
  bool outer_;
};

} // namespace touchstone::backends
