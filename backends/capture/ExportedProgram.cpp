#include "backends/capture/ExportedProgram.h"

#include "backends/aot_autograd/TracedArguments.h"
#include "backends/arguments/Containers.h"
#include "program/values/CompiledProgram.h"
#include "program/values/RaisedException.h"

#include <ATen/core/grad_mode.h>
#include <fmt/format.h>

#include <algorithm>

namespace touchstone::capture {

using values::Value;
using values::ValueList;

namespace {

size_t positionAmong(const std::vector<at::Tensor>& tensors, const at::Tensor& tensor) {
  const auto found =
      std::find_if(tensors.begin(), tensors.end(), [&](const at::Tensor& each) { return each.is_same(tensor); });
  TORCH_INTERNAL_ASSERT(found != tensors.end(), "an exported graph reads a tensor that is no argument");
  return static_cast<size_t>(found - tensors.begin());
}

} // namespace

ExportedProgram::ExportedProgram(const language::Case& theCase, FrameCapture captured, const ValueList& arguments)
    : isRead_(captured.isRead),
      readsMemory_(captured.readsMemory),
      graph_(std::move(captured.graph)),
      values_(std::move(captured.values)),
      guards_(theCase.program().parameters, arguments, captured.isRead, captured.readsIdentity, &captured.reads),
      gradModeAfter_(captured.gradModeAfter) {
  const std::vector<at::Tensor> tensors = aot_autograd::inputTensors(arguments);
  for (const at::Tensor& example : captured.examples) {
    graphInputs_.push_back(positionAmong(tensors, example));
    const int number = guards_.numberOf(example);
    TORCH_INTERNAL_ASSERT(number >= 0, "an exported graph reads a tensor that no guard looks at");
    guardNumbers_.push_back(static_cast<size_t>(number));
  }
  for (const at::Tensor& input : captured.inputs) {
    valueInputs_.push_back(positionAmong(tensors, input));
  }
  compileFor(backends::compileToInterpreter, arguments, captured.reads.facts());
}

std::vector<at::Tensor> ExportedProgram::inputsOf(const ValueList& arguments) const {
  const std::vector<at::Tensor> tensors = aot_autograd::inputTensors(arguments);
  std::vector<at::Tensor> inputs;
  for (size_t position : graphInputs_) {
    inputs.push_back(tensors.at(position));
  }
  return inputs;
}

void ExportedProgram::compile(const backends::GraphCompiler& compiler, const ValueList& arguments) {
  const std::string failure = guards_.failure(arguments);
  TORCH_CHECK_VALUE(failure.empty(), "the program was exported for other arguments: ", failure);
  compileFor(compiler, arguments, {});
}

void ExportedProgram::compileFor(const backends::GraphCompiler& compiler, const ValueList& arguments,
                                 const std::vector<std::pair<at::Tensor, evaluator::Fact>>& facts) {
  compiled_ = compiler(graph_, inputsOf(arguments));
  const std::vector<backends::Assumption> assumptions = compiled_->assumptions();
  std::vector<std::pair<size_t, backends::Assumption>> relied;
  for (size_t i = 0; i < assumptions.size() && !readsMemory_; ++i) {
    relied.emplace_back(guardNumbers_[i], assumptions[i]);
  }
  for (size_t number = 0; number < guards_.tensorCount() && readsMemory_; ++number) {
    relied.emplace_back(number, backends::Assumption::kMemory);
  }
  guards_.rely(relied, facts, arguments);
}

Value ExportedProgram::operator()(ValueList& arguments) {
  std::vector<const at::Tensor*> numbered;
  if (!guards_.check(arguments, numbered)) {
    throw values::RaisedException("AssertionError",
                                  "the program was exported for other arguments: " + guards_.failure(arguments));
  }
  const std::vector<at::Tensor> tensors = aot_autograd::inputTensors(arguments);
  std::vector<at::Tensor> kept;
  for (size_t position : valueInputs_) {
    kept.push_back(tensors[position]);
  }
  std::vector<Value> given;
  if (values_->readsGiven()) {
    ValueList read;
    for (size_t i = 0; i < arguments.size(); ++i) {
      if (isRead_[i]) {
        read.push_back(arguments[i]);
      }
    }
    given = arguments::containersIn(read);
  }
  const std::vector<at::Tensor> outputs = compiled_->run(inputsOf(arguments));
  ValueList values = values_->fill(kept, outputs, given);
  if (gradModeAfter_) {
    at::GradMode::set_enabled(*gradModeAfter_);
  }
  return std::move(values.at(0));
}

std::unique_ptr<ExportedProgram> exportGraph(const language::Case& theCase, const ValueList& arguments,
                                             fake::Backing backing) {
  Steps steps(theCase);
  FrameCapture captured =
      captureFrame(theCase, steps, steps.first(theCase.program()), theCase.program().parameters, arguments, backing);
  if (captured.stop != nullptr && captured.reason->raised) {
    std::rethrow_exception(captured.reason->raised);
  }
  if (captured.stop != nullptr) {
    throw ir::Unsupported(fmt::format("one graph cannot hold the whole program: it breaks at line {}: {}",
                                      captured.reason->line, captured.reason->text));
  }
  return std::unique_ptr<ExportedProgram>(new ExportedProgram(theCase, std::move(captured), arguments));
}

} // namespace touchstone::capture
