#pragma once

namespace touchstone::compilers {

/// While it lives, TorchScript writes no casts of autocast into graphs that it optimizes; then as before
/// (torch/_functorch/compilers.py, _disable_jit_autocast). The switch is the process's: it goes back when the last scope of
/// any thread ends.
class JitAutocastScope {
 public:
  JitAutocastScope();
  ~JitAutocastScope();
  JitAutocastScope(const JitAutocastScope&) = delete;
  JitAutocastScope& operator=(const JitAutocastScope&) = delete;
};

} // namespace touchstone::compilers
