#include "oracles/stages/ReplayRun.h"

#include "graph/runtime/Interpreter.h"
#include "oracles/evidence/Precision.h"
#include "program/values/GeneratorState.h"
#include "program/values/RaisedException.h"
#include "program/values/StorageCopy.h"

#include <ATen/Context.h>
#include <ATen/MemoryOverlap.h>
#include <ATen/core/grad_mode.h>

#include <mutex>

namespace touchstone::stages {

namespace {

void setGenerator(const at::Tensor& state) {
  at::Generator generator = at::globalContext().defaultGenerator(at::kCPU);
  const std::lock_guard<std::mutex> lock(generator.mutex());
  generator.set_state(state);
}

void perturbInputs(std::vector<at::Tensor>& inputs, uint64_t seed) {
  for (at::Tensor& input : inputs) {
    if (input.defined() && at::has_internal_overlap(input) == at::MemOverlap::No) {
      input.copy_(evidence::perturbedByUlp(input, seed++));
    }
  }
}

} // namespace

std::vector<at::Tensor> copiesSharingMemory(const std::vector<at::Tensor>& tensors) {
  values::StorageCopies memories;
  std::vector<at::Tensor> copies;
  for (const at::Tensor& tensor : tensors) {
    copies.push_back(tensor.defined() ? memories.copy(tensor) : tensor);
  }
  return copies;
}

ReplayRun replayStage(const ir::Graph& graph, const std::vector<at::Tensor>& inputs, const at::Tensor& generator,
                      std::optional<uint64_t> perturbed) {
  const at::NoGradGuard noGrad;
  const values::GeneratorStateScope generators;
  const runtime::Interpreter interpreter(graph, runtime::NodeState::kCallers);
  ReplayRun run;
  run.inputsAfter = copiesSharingMemory(inputs);
  if (perturbed) {
    perturbInputs(run.inputsAfter, *perturbed);
  }
  if (generator.defined()) {
    setGenerator(generator);
  }
  try {
    run.outputs = interpreter.runFlat(run.inputsAfter);
  } catch (...) {
    run.raised = values::currentException().what();
  }
  return run;
}

} // namespace touchstone::stages
