#pragma once

#include "backends/fake/Tracer.h"
#include "program/values/Value.h"

#include <torch/csrc/autograd/edge.h>

#include <string>
#include <vector>

namespace touchstone::aot_autograd {

/// A tensor that a traced program was given, once however often it occurs, or the base of a view that it was given.
struct TracedInput {
  at::Tensor fake;
  std::string name; // of the parameter; with the way to the tensor where it is inside: `xs_0`, `m_weight`
  std::vector<std::string> otherNames; // of other arguments that are this tensor
  ir::TensorMetadata geometry; // as it was given
  int base = -1; // the input of which it is a differentiable view
  int storage = -1; // among TracedArguments::storages
  bool isHidden = false; // a base that is no argument itself
  bool isLeaf = true;
  bool requiresGrad = false;
  bool isInferenceWithGrad = false; // an inference tensor that has the flag, which leads to no gradient
  torch::autograd::Edge sink; // where its gradient arrives; of a leaf, not before the program has run
  torch::autograd::Edge startEdge; // of the fake when the program began; invalid for a leaf
  bool wasStale = false; // a view older than the last write to its base: it has no edge before it is used
  uint32_t version = 0;
};

/// One memory that inputs lie in, and the placeholder that stands for it.
struct TracedInputStorage {
  std::vector<int> inputs;
  bool isFlat = false; // the placeholder is one dimension over it; otherwise it is the one input that there is
  at::ScalarType dtype = at::kFloat; // of the flat placeholder
  int number = -1; // of the Graph's storages
};

/// Arguments made ready for a trace: copies of everything, so that the arguments stay as they are, with aliasing,
/// identity, views, leaves and versions as the arguments have them.
struct TracedArguments {
  values::ValueList values;
  std::vector<TracedInput> inputs;
  std::vector<TracedInputStorage> storages; // in the order of the placeholders
};

/// The tensors among the arguments, each object once, in order; then the bases of differentiable views among them that
/// are no arguments. What a compiled program sees as its inputs.
std::vector<at::Tensor> inputTensors(const values::ValueList& arguments);

/// `names`: of the program's parameters. Throws ir::Unsupported for tensors that are not strided.
TracedArguments traceArguments(fake::Tracer& tracer, const values::ValueList& arguments,
                               const std::vector<std::string>& names);

/// One dimension of `dtype` over all of a tensor's storage. Shares the version counter with the tensor, and nothing else
/// of autograd's.
at::Tensor flatAlias(const at::Tensor& tensor, at::ScalarType dtype);

/// A tensor like this one over a copy of all of its storage, of which autograd knows nothing.
at::Tensor copyOfMemory(const at::Tensor& tensor);

} // namespace touchstone::aot_autograd
