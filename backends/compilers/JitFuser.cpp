#include "backends/compilers/JitFuser.h"

#include <torch/csrc/jit/codegen/fuser/interface.h>
#include <torch/csrc/jit/codegen/onednn/interface.h>
#include <torch/csrc/jit/passes/pass_manager.h>
#include <torch/csrc/jit/passes/tensorexpr_fuser.h>
#include <torch/csrc/jit/python/update_graph_executor_opt.h>
#include <torch/csrc/jit/runtime/graph_executor.h>

#include <array>
#include <mutex>
#include <stdexcept>
#include <utility>

namespace touchstone::compilers {

namespace {

/// What torch/jit/_fuser.py sets for each.
struct FuserSwitches {
  JitFuser fuser;
  const char* name;
  const char* number;
  bool onCpu, onGpu, byExpressions, profiles;
};
constexpr std::array kFusers{FuserSwitches{JitFuser::kLegacy, "fuser0", "0", true, true, false, false},
                             FuserSwitches{JitFuser::kNnc, "fuser1", "1", true, true, true, true},
                             FuserSwitches{JitFuser::kNvFuser, "fuser2", "2", false, false, false, false},
                             FuserSwitches{JitFuser::kOneDnn, "fuser3", "3", true, false, true, true},
                             FuserSwitches{JitFuser::kNone, "none", "False", false, false, false, false}};

std::recursive_mutex& switchesMutex() {
  static std::recursive_mutex mutex;
  return mutex;
}

class FusedGraph final : public backends::CompiledGraph {
 public:
  FusedGraph(JitFuser fuser, std::shared_ptr<const backends::CompiledGraph> compiled)
      : fuser_(fuser), compiled_(std::move(compiled)) {}
  std::vector<at::Tensor> run(std::vector<at::Tensor> inputs) const override {
    const JitFuserScope scope(fuser_);
    return compiled_->run(std::move(inputs));
  }
  bool isCompiled() const override { return compiled_->isCompiled(); }
  std::vector<backends::Assumption> assumptions() const override { return compiled_->assumptions(); }

 private:
  JitFuser fuser_;
  std::shared_ptr<const backends::CompiledGraph> compiled_;
};

} // namespace

JitFuser jitFuser(const std::string& name) {
  for (const FuserSwitches& each : kFusers) {
    if (name == each.name || name == each.number) {
      return each.fuser;
    }
  }
  throw std::invalid_argument("There is no fuser `" + name +
                              "`; choose one of 0 to 3 (`fuser0` to `fuser3`), or False (`none`).");
}

JitFuserScope::JitFuserScope(JitFuser fuser) {
  switchesMutex().lock(); // until the end of this object
  onCpu_ = torch::jit::canFuseOnCPU();
  onGpu_ = torch::jit::canFuseOnGPU();
  byExpressions_ = torch::jit::tensorExprFuserEnabled();
  profiles_ = torch::jit::getExecutorMode();
  optimizes_ = torch::jit::getGraphExecutorOptimize();
  const FuserSwitches& switches = kFusers.at(static_cast<size_t>(fuser));
  torch::jit::overrideCanFuseOnCPU(switches.onCpu);
  torch::jit::overrideCanFuseOnGPU(switches.onGpu);
  torch::jit::setTensorExprFuserEnabled(switches.byExpressions);
  if (switches.profiles) {
    torch::jit::getExecutorMode() = true;
    torch::jit::setGraphExecutorOptimize(true);
  }
  if (fuser == JitFuser::kOneDnn) { // by RegisterLlgaFuseGraph a process gets the pass back no second time
    oneDnnPass_ = torch::jit::registerPrePass(torch::jit::fuser::onednn::fuseGraph);
    hasOneDnnPass_ = true;
  }
}

JitFuserScope::~JitFuserScope() {
  if (hasOneDnnPass_) {
    torch::jit::clearPrePass(oneDnnPass_);
  }
  torch::jit::setGraphExecutorOptimize(optimizes_);
  torch::jit::getExecutorMode() = profiles_;
  torch::jit::setTensorExprFuserEnabled(byExpressions_);
  torch::jit::overrideCanFuseOnGPU(onGpu_);
  torch::jit::overrideCanFuseOnCPU(onCpu_);
  switchesMutex().unlock();
}

backends::GraphCompiler underFuser(JitFuser fuser, backends::GraphCompiler compiler) {
  return
      [fuser, compiler = std::move(compiler)](
          ir::Graph graph, const std::vector<at::Tensor>& examples) -> std::shared_ptr<const backends::CompiledGraph> {
        const JitFuserScope scope(fuser);
        return std::make_shared<const FusedGraph>(fuser, compiler(std::move(graph), examples));
      };
}

} // namespace touchstone::compilers
