#include "program/evaluator/Gradients.h"

#include "program/evaluator/Attributes.h"
#include "program/evaluator/Hooks.h"
#include "program/semantics/Arguments.h"
#include "program/transforms/Layers.h"
#include "program/values/AutogradNodes.h"

#include <ATen/core/Tensor.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/zeros_like.h>
#include <c10/core/ScalarType.h>
#include <fmt/ranges.h>
#include <torch/csrc/autograd/engine.h>
#include <torch/csrc/autograd/functions/accumulate_grad.h>
#include <torch/csrc/autograd/functions/basic_ops.h>
#include <torch/csrc/autograd/variable.h>

#include <set>

// `torch.autograd.grad` and `backward`, after `torch/autograd/__init__.py` and `torch/csrc/autograd/python_engine.cpp`.

namespace touchstone::evaluator {

using namespace semantics;
namespace {

using torch::autograd::Edge;
using torch::autograd::edge_list;
using torch::autograd::variable_list;

std::string sizeText(at::IntArrayRef sizes) {
  return fmt::format("torch.Size([{}])", fmt::join(sizes, ", "));
}

struct EngineOptions {
  bool keepGraph = false;
  bool createGraph = false;
  bool allowUnreachable = false;
  bool accumulate = false;
  bool whole = false; // EvaluatorOptions::wholeGradients
};

/// All leaves that a backward from these nodes reaches.
edge_list leavesFrom(const edge_list& roots) {
  edge_list leaves;
  std::set<torch::autograd::Node*> seen;
  std::vector<values::NodePtr> pending;
  for (const Edge& root : roots) {
    pending.push_back(root.function);
  }
  while (!pending.empty()) {
    const values::NodePtr node = std::move(pending.back());
    pending.pop_back();
    if (!node || !seen.insert(node.get()).second) {
      continue;
    }
    if (dynamic_cast<torch::autograd::AccumulateGrad*>(node.get()) != nullptr) {
      leaves.emplace_back(node, 0);
    }
    for (const Edge& next : node->next_edges()) {
      pending.push_back(next.function);
    }
  }
  return leaves;
}

values::ValueList runEngine(const values::ValueList& outputs, const values::ValueList& tangents,
                            const values::ValueList& inputs, const EngineOptions& options) {
  if (tangents.size() != outputs.size()) {
    values::raiseError("RuntimeError", "got {} tensors and {} gradients", outputs.size(), tangents.size());
  }
  edge_list roots;
  variable_list gradients;
  for (size_t i = 0; i < outputs.size(); ++i) {
    Edge root = torch::autograd::impl::gradient_edge(outputs[i].tensor());
    if (!root.function) {
      values::raiseError("RuntimeError", "element {} of tensors does not require grad and does not have a grad_fn", i);
    }
    roots.push_back(std::move(root));
    gradients.push_back(tangents[i].isTensor() ? tangents[i].tensor() : at::Tensor());
  }
  edge_list wanted;
  for (const values::Value& value : inputs) {
    if (!value.isTensor()) {
      values::raiseError("RuntimeError", "all inputs have to be Tensors or GradientEdges, but got {}",
                         value.typeName());
    }
    const at::Tensor& input = value.tensor();
    refusePartialGradient(input);
    if (options.accumulate) {
      input.retain_grad();
    }
    if (!input.requires_grad()) {
      values::raiseError("RuntimeError", "One of the differentiated Tensors does not require grad");
    }
    auto function = input.grad_fn() ? input.grad_fn() : torch::autograd::impl::try_get_grad_accumulator(input);
    if (function) {
      wanted.emplace_back(std::move(function), input.output_nr());
    } else {
      // No accumulator: nothing has used the tensor, so it cannot be reached; the engine wants a node all the same.
      wanted.emplace_back(values::makeNode<torch::autograd::Identity>(), 0);
    }
  }
  auto& engine = torch::autograd::Engine::get_default_engine();
  if (const edge_list leaves = options.whole ? leavesFrom(roots) : edge_list(); !leaves.empty()) {
    engine.execute(roots, gradients, /*keep_graph=*/true, /*create_graph=*/false, /*accumulate_grad=*/false, leaves);
  }
  const variable_list results =
      engine.execute(roots, gradients, options.keepGraph, options.createGraph, options.accumulate, wanted);
  values::ValueList values;
  if (options.accumulate) {
    return values;
  }
  for (size_t i = 0; i < results.size(); ++i) {
    if (!results[i].defined() && !options.allowUnreachable) {
      values::raiseError("RuntimeError",
                         "The differentiated Tensor at index {} appears to not have been used in "
                         "the graph. Set allow_unused=True if this is the desired behavior.",
                         i);
    }
    values.push_back(results[i].defined() ? values::Value(results[i]) : values::Value());
  }
  return values;
}

values::ValueList completeTangents(const values::ValueList& outputs, const values::ValueList& tangents) {
  values::ValueList completed;
  for (size_t i = 0; i < outputs.size() && i < tangents.size(); ++i) {
    if (!outputs[i].isTensor()) {
      values::raiseError("AssertionError", "Expected output to be a torch.Tensor");
    }
    const at::Tensor& output = outputs[i].tensor();
    const values::Value& tangent = tangents[i];
    if (tangent.isTensor()) {
      const at::Tensor& given = tangent.tensor();
      if (!given.sizes().equals(output.sizes())) {
        values::raiseError("RuntimeError",
                           "Mismatch in shape: grad_output[{}] has a shape of {} and output[{}] "
                           "has a shape of {}.",
                           i, sizeText(given.sizes()), i, sizeText(output.sizes()));
      }
      if (output.is_complex() != given.is_complex()) {
        values::raiseError("RuntimeError",
                           "For complex Tensors, both grad_output and output are required to have the same dtype. "
                           "Mismatch in dtype: grad_output[{}] has a dtype of {} and output[{}] has a dtype of {}.",
                           i, torchDtypeName(given.scalar_type()), i, torchDtypeName(output.scalar_type()));
      }
      completed.push_back(tangent);
    } else if (tangent.isNone()) {
      if (!output.requires_grad()) {
        completed.emplace_back();
        continue;
      }
      if (output.numel() != 1) {
        values::raiseError("RuntimeError", "grad can be implicitly created only for scalar outputs");
      }
      if (!at::isFloatingType(output.scalar_type())) {
        values::raiseError("RuntimeError", "grad can be implicitly created only for real scalar outputs but got {}",
                           torchDtypeName(output.scalar_type()));
      }
      completed.emplace_back(at::ones_like(output, {}, at::MemoryFormat::Preserve));
    } else {
      values::raiseError("TypeError", "gradients can be either Tensors or None, but got {}", tangent.typeName());
    }
  }
  return completed;
}

} // namespace

values::ValueList Gradients::tensors(const values::Value& value) {
  return value.isTensor() ? values::ValueList{value} : containers_.iterate(value);
}

values::Value Gradients::grad(const values::ValueList& positional, const torch_names::KeywordList& keywords) {
  enum { kOutputs, kInputs, kGradOutputs, kRetain, kCreate, kOnlyInputs, kAllowUnused, kBatched, kMaterialize };
  Arguments arguments("grad",
                      {"outputs", "inputs", "grad_outputs", "retain_graph", "create_graph", "only_inputs",
                       "allow_unused", "is_grads_batched", "materialize_grads"},
                      positional, keywords, 2);
  const bool materialize = arguments.flag(kMaterialize, false);
  const bool allowUnused = arguments.flag(kAllowUnused, materialize);
  if (materialize && !allowUnused) {
    values::raiseError("ValueError",
                       "Expected allow_unused to be True or not passed when materialize_grads=True, but got: "
                       "allow_unused=False.");
  }
  if (arguments.flag(kBatched, false)) {
    values::raiseError("NotImplementedError", "`is_grads_batched=True` is not available in case files.");
  }
  const values::ValueList outputs = tensors(arguments.at(kOutputs));
  const values::ValueList inputs = tensors(arguments.at(kInputs));
  if (inputs.empty()) {
    values::raiseError("RuntimeError", "`inputs` argument to `grad()` cannot be empty.");
  }
  const values::ValueList tangents =
      completeTangents(outputs, arguments.isGiven(kGradOutputs) ? tensors(arguments.at(kGradOutputs))
                                                                : values::ValueList(outputs.size()));
  const bool createGraph = arguments.flag(kCreate, false);
  EngineOptions options{arguments.flag(kRetain, createGraph), createGraph, allowUnused, false, whole_};
  values::ValueList gradients = runEngine(outputs, tangents, inputs, options);
  if (materialize) {
    for (size_t i = 0; i < gradients.size(); ++i) {
      if (gradients[i].isNone()) {
        at::Tensor zeros = at::zeros_like(inputs[i].tensor());
        zeros.set_requires_grad(createGraph);
        gradients[i] = zeros;
      }
    }
  }
  return values::Value::tuple(std::move(gradients));
}

values::Value gradientsOf(const values::ValueList& positional, const torch_names::KeywordList& keywords) {
  const torch_names::Dispatch dispatch = [](const c10::OperatorHandle& op, torch::jit::Stack& stack) {
    op.callBoxed(stack);
  };
  Limits limits(EvaluatorOptions().maximumStatements);
  Containers containers(limits, dispatch);
  return Gradients(containers, false).grad(positional, keywords);
}

values::Value Gradients::backward(const values::ValueList& positional, const torch_names::KeywordList& keywords) {
  enum { kTensors, kTangents, kRetain, kCreate, kVariables, kInputs };
  transforms::refuseBackwardUnderLayers();
  Arguments arguments("backward",
                      {"tensors", "grad_tensors", "retain_graph", "create_graph", "grad_variables", "inputs"},
                      positional, keywords, 1);
  const bool hasInputs = arguments.isGiven(kInputs);
  const values::ValueList inputs = hasInputs ? tensors(arguments.at(kInputs)) : values::ValueList();
  if (hasInputs && inputs.empty()) {
    values::raiseError("RuntimeError", "`inputs` argument to `backward()` cannot be empty.");
  }
  const values::ValueList outputs = tensors(arguments.at(kTensors));
  const values::ValueList tangents = completeTangents(
      outputs, arguments.isGiven(kTangents) ? tensors(arguments.at(kTangents)) : values::ValueList(outputs.size()));
  const bool createGraph = arguments.flag(kCreate, false);
  EngineOptions options{arguments.flag(kRetain, createGraph), createGraph, true, true, whole_};
  runEngine(outputs, tangents, inputs, options);
  return {};
}

values::Value Gradients::tensorBackward(const at::Tensor& tensor, const values::ValueList& positional,
                                        const torch_names::KeywordList& keywords) {
  Arguments arguments("Tensor.backward", {"gradient", "retain_graph", "create_graph", "inputs"}, positional, keywords);
  torch_names::KeywordList passed;
  const char* const names[] = {"grad_tensors", "retain_graph", "create_graph", "inputs"};
  for (size_t i = 0; i < 4; ++i) {
    if (const values::Value* value = arguments.find(i)) {
      passed.emplace_back(names[i], *value);
    }
  }
  return backward({values::Value(tensor)}, passed);
}

} // namespace touchstone::evaluator
