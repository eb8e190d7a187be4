#pragma once

#include "backends/GraphCompiler.h"

#include <string>

namespace touchstone::compilers {

/// Which fuser TorchScript's executor has: torch/jit/_fuser.py, fuser.
enum class JitFuser {
  kLegacy, // `fuser0`
  kNnc, // `fuser1`; fuses on the CPU where libtorch was built with LLVM
  kNvFuser, // `fuser2`: taken out of PyTorch 2, so nothing is fused
  kOneDnn, // `fuser3`
  kNone, // `none`
};

/// By its name there, or its number. Throws std::invalid_argument that lists the names.
JitFuser jitFuser(const std::string& name);

/// While it lives, TorchScript fuses as that fuser does; then as before. The switches are the process's: a second thread waits until the
/// first one's scope ends.
class JitFuserScope {
 public:
  explicit JitFuserScope(JitFuser fuser);
  ~JitFuserScope();
  JitFuserScope(const JitFuserScope&) = delete;
  JitFuserScope& operator=(const JitFuserScope&) = delete;

 private:
  bool onCpu_, onGpu_, byExpressions_, profiles_, optimizes_; // what the process had
  unsigned oneDnnPass_ = 0; // of kOneDnn
  bool hasOneDnnPass_ = false;
};

/// What `compiler` makes is compiled and run in such scopes. A backward that autograd runs behind it (`ts`) is fused as the process has it.
backends::GraphCompiler underFuser(JitFuser fuser, backends::GraphCompiler compiler);

} // namespace touchstone::compilers
