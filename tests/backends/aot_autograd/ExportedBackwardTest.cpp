#include "tests/backends/FallbackPrograms.h"

#include "backends/aot_autograd/AotExport.h"
#include "backends/capture/ExportedProgram.h"
#include "program/language/CasePrinter.h"

namespace touchstone::tests {
namespace {

/// What a program that applies a custom function to a leaf and a buffer has as its joint Graph; throws what refuses it.
ir::Graph exportedJoint(const std::string& function, const std::string& body) {
  const language::Case theCase =
      fallbackCase(language::customFunctionText(function) + "\n\n\ndef program(x, b):\n" + body,
                   "return (torch.ones(3).requires_grad_(), torch.ones(3)), ()");
  const values::ValueList arguments = argumentsOf(theCase);
  const std::unique_ptr<capture::ExportedProgram> exported = capture::exportGraph(theCase, arguments);
  std::vector<at::Tensor> inputs;
  exported->compile(
      [&](ir::Graph graph, const std::vector<at::Tensor>& examples) {
        inputs = examples;
        return backends::compileToInterpreter(std::move(graph), examples);
      },
      arguments);
  return aot_autograd::aotExportJointSimple(exported->graph(), inputs, /*traceJoint=*/true, fake::Backing::kValues,
                                            aot_autograd::ExportedWrites::kReturned);
}

TEST(ExportedBackwardTest, ABackwardThatWritesIsRefused) {
  EXPECT_GT(exportedJoint("SavesInput", "    return SavesInput.apply(x)\n").operatorCount(), 2U);
  EXPECT_THROW(exportedJoint("WritesBuffer", "    return WritesBuffer.apply(x, b)\n"), ir::Unsupported);
  EXPECT_THROW(exportedJoint("WritesBuffer", "    b = b + 1\n    return WritesBuffer.apply(x, b), b\n"),
               ir::Unsupported);
}

} // namespace
} // namespace touchstone::tests
