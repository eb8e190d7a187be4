#include "backends/capture/CapturedCode.h"

#include <algorithm>

namespace touchstone::capture {

namespace {

/// What the compiler makes of the Graph; what it takes for granted goes to `assumptions`.
void compile(FrameCapture& captured, CapturedCode& code, const backends::GraphCompiler& compiler,
             std::vector<std::pair<size_t, backends::Assumption>>& assumptions, ir::CompileReport& report) {
  code.isCompiled = captured.graph.operatorCount() > 0;
  if (!code.isCompiled) {
    if (captured.graph.nodes().size() > captured.graph.placeholders().size()) { // constants alone are made all the same
      code.graph = backends::compileToInterpreter(std::move(captured.graph), captured.examples);
    }
    return;
  }
  noteGraph(captured.graph, report);
  code.graph = compiler(std::move(captured.graph), captured.examples);
  code.isCompiled = code.graph->isCompiled();
  const std::vector<backends::Assumption> relied = code.graph->assumptions();
  for (size_t i = 0; i < relied.size(); ++i) {
    assumptions.emplace_back(code.graphInputs[i], relied[i]);
  }
}

} // namespace

void noteGraph(const ir::Graph& graph, ir::CompileReport& report) {
  report.graphs += 1;
  report.operations += graph.operatorCount();
  std::vector<std::string>& targets = report.operationsOfGraphs.emplace_back();
  for (const ir::Node& node : graph.nodes()) {
    if (!node.target.empty()) {
      targets.push_back(node.target);
    }
  }
}

std::shared_ptr<CapturedCode> makeCode(FrameCapture captured, const std::vector<std::string>& names,
                                       const values::ValueList& locals, const backends::GraphCompiler& compiler,
                                       ir::CompileReport& report, const sources::SymbolicLocals* symbolic) {
  auto code = std::make_shared<CapturedCode>();
  code->guards =
      std::make_unique<Guards>(names, locals, captured.isRead, captured.readsIdentity, &captured.reads, symbolic);
  for (const at::Tensor& example : captured.examples) {
    const int number = code->guards->numberOf(example);
    TORCH_INTERNAL_ASSERT(number >= 0, "a graph reads a tensor that no guard looks at");
    code->graphInputs.push_back(static_cast<size_t>(number));
  }
  for (const at::Tensor& input : captured.inputs) {
    code->valueInputs.push_back(code->guards->numberOf(input));
  }
  report.frames += 1;
  std::vector<std::pair<size_t, backends::Assumption>> assumptions;
  compile(captured, *code, compiler, assumptions, report);
  if (captured.readsMemory) {
    assumptions.clear();
    for (size_t number = 0; number < code->guards->tensorCount(); ++number) {
      assumptions.emplace_back(number, backends::Assumption::kMemory);
    }
  }
  code->guards->rely(assumptions, captured.reads.facts(), locals);
  code->values = std::move(captured.values);
  for (size_t i = 0; i < captured.isRead.size(); ++i) {
    if (captured.isRead[i]) {
      code->read.push_back(i);
    }
  }
  code->names = std::move(captured.names);
  for (const std::string& name : captured.passed) {
    code->passed.emplace_back(name, std::find(names.begin(), names.end(), name) - names.begin());
  }
  code->gradModeAfter = captured.gradModeAfter;
  code->stop = captured.stop;
  code->regions = std::move(captured.regions);
  code->gradModeInside = captured.gradModeInside;
  code->reason = std::move(captured.reason);
  return code;
}

} // namespace touchstone::capture
