#include "backends/aot_autograd/AotCompiler.h"

#include "backends/aot_autograd/RuntimeCall.h"

#include <ATen/CPUGeneratorImpl.h>

#include <exception>

namespace touchstone::backends {

namespace {

class AotGraph final : public CompiledGraph {
 public:
  AotGraph(graph::Graph graph, const std::vector<at::Tensor>& examples, const AotOptions& options)
      : captured_(std::move(graph)), frame_(std::make_shared<const CompiledFrame>(captured_, examples, options)) {}

  std::vector<at::Tensor> run(std::vector<at::Tensor> inputs) const override {
    return frame_->plan().mayRaise ? runOrRaiseAsEager(std::move(inputs)) : callFrame(frame_, std::move(inputs));
  }

  std::vector<Reliance> reliance() const override { return frame_->reliance(); }

 private:
  /// Where the forward Graph raises, nothing has been written yet: eager then raises after the writes that come before.
  std::vector<at::Tensor> runOrRaiseAsEager(std::vector<at::Tensor> inputs) const {
    std::vector<at::Tensor> kept = inputs;
    at::Generator generator = at::detail::getDefaultCPUGenerator();
    const at::Tensor state = generator.get_state();
    try {
      return callFrame(frame_, std::move(inputs));
    } catch (const std::exception&) {
      const std::exception_ptr raised = std::current_exception();
      generator.set_state(state);
      captured_.runFlat(std::move(kept));
      std::rethrow_exception(raised); // a defect: eager does not raise
    }
  }

  graph::Interpreter captured_;
  std::shared_ptr<const CompiledFrame> frame_;
};

} // namespace

GraphCompiler aotCompiler(AotOptions options) {
  return [options = std::move(options)](graph::Graph graph, const std::vector<at::Tensor>& examples) {
    return std::make_shared<const AotGraph>(std::move(graph), examples, options);
  };
}

} // namespace touchstone::backends
