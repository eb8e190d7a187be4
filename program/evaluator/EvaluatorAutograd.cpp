#include "program/evaluator/EvaluatorHooks.h"
#include "program/evaluator/EvaluatorState.h"
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
    raiseError("RuntimeError", fmt::format("got {} tensors and {} gradients", outputs.size(), tangents.size()));
  }
  edge_list roots;
  variable_list gradients;
  for (size_t i = 0; i < outputs.size(); ++i) {
    Edge root = torch::autograd::impl::gradient_edge(outputs[i].tensor());
    if (!root.function) {
      raiseError("RuntimeError",
                 fmt::format("element {} of tensors does not require grad and does not have a grad_fn", i));
    }
    roots.push_back(std::move(root));
    gradients.push_back(tangents[i].isTensor() ? tangents[i].tensor() : at::Tensor());
  }
  edge_list wanted;
  for (const values::Value& value : inputs) {
    if (!value.isTensor()) {
      raiseError("RuntimeError",
                 fmt::format("all inputs have to be Tensors or GradientEdges, but got {}", value.typeName()));
    }
    const at::Tensor& input = value.tensor();
    refusePartialGradient(input);
    if (options.accumulate) {
      input.retain_grad();
    }
    if (!input.requires_grad()) {
      raiseError("RuntimeError", "One of the differentiated Tensors does not require grad");
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
      raiseError("RuntimeError", fmt::format("The differentiated Tensor at index {} appears to not have been used in "
                                             "the graph. Set allow_unused=True if this is the desired behavior.",
                                             i));
    }
    values.push_back(results[i].defined() ? values::Value(results[i]) : values::Value());
  }
  return values;
}

} // namespace

values::ValueList Evaluator::State::completeTangents(const values::ValueList& outputs,
                                                     const values::ValueList& tangents) {
  values::ValueList completed;
  for (size_t i = 0; i < outputs.size() && i < tangents.size(); ++i) {
    if (!outputs[i].isTensor()) {
      raiseError("AssertionError", "Expected output to be a torch.Tensor");
    }
    const at::Tensor& output = outputs[i].tensor();
    const values::Value& tangent = tangents[i];
    if (tangent.isTensor()) {
      const at::Tensor& given = tangent.tensor();
      if (!given.sizes().equals(output.sizes())) {
        raiseError("RuntimeError", fmt::format("Mismatch in shape: grad_output[{}] has a shape of {} and output[{}] "
                                               "has a shape of {}.",
                                               i, sizeText(given.sizes()), i, sizeText(output.sizes())));
      }
      if (output.is_complex() != given.is_complex()) {
        raiseError("RuntimeError",
                   fmt::format("For complex Tensors, both grad_output and output are required to have the same dtype. "
                               "Mismatch in dtype: grad_output[{}] has a dtype of {} and output[{}] has a dtype of {}.",
                               i, torchDtypeName(given.scalar_type()), i, torchDtypeName(output.scalar_type())));
      }
      completed.push_back(tangent);
    } else if (tangent.isNone()) {
      if (!output.requires_grad()) {
        completed.emplace_back();
        continue;
      }
      if (output.numel() != 1) {
        raiseError("RuntimeError", "grad can be implicitly created only for scalar outputs");
      }
      if (!at::isFloatingType(output.scalar_type())) {
        raiseError("RuntimeError", fmt::format("grad can be implicitly created only for real scalar outputs but got {}",
                                               torchDtypeName(output.scalar_type())));
      }
      completed.emplace_back(at::ones_like(output, {}, at::MemoryFormat::Preserve));
    } else {
      raiseError("TypeError", fmt::format("gradients can be either Tensors or None, but got {}", tangent.typeName()));
    }
  }
  return completed;
}

values::Value Evaluator::State::autogradGrad(const values::ValueList& positional,
                                             const torch_names::KeywordList& keywords) {
  enum { kOutputs, kInputs, kGradOutputs, kRetain, kCreate, kOnlyInputs, kAllowUnused, kBatched, kMaterialize };
  Arguments arguments("grad",
                      {"outputs", "inputs", "grad_outputs", "retain_graph", "create_graph", "only_inputs",
                       "allow_unused", "is_grads_batched", "materialize_grads"},
                      positional, keywords, 2);
  const bool materialize = arguments.flag(kMaterialize, false);
  const bool allowUnused = arguments.flag(kAllowUnused, materialize);
  if (materialize && !allowUnused) {
    raiseError("ValueError",
               "Expected allow_unused to be True or not passed when materialize_grads=True, but got: "
               "allow_unused=False.");
  }
  if (arguments.flag(kBatched, false)) {
    raiseError("NotImplementedError", "`is_grads_batched=True` is not available in case files.");
  }
  auto sequence = [&](const values::Value& value) {
    return value.isTensor() ? values::ValueList{value} : iterate(value);
  };
  const values::ValueList outputs = sequence(arguments.at(kOutputs));
  const values::ValueList inputs = sequence(arguments.at(kInputs));
  if (inputs.empty()) {
    raiseError("RuntimeError", "`inputs` argument to `grad()` cannot be empty.");
  }
  const values::Value* given = arguments.find(kGradOutputs);
  const values::ValueList tangents =
      completeTangents(outputs, given && !given->isNone() ? sequence(*given) : values::ValueList(outputs.size()));
  const bool createGraph = arguments.flag(kCreate, false);
  EngineOptions options{arguments.flag(kRetain, createGraph), createGraph, allowUnused, false,
                        this->options.wholeGradients};
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
  static const language::Case noCase;
  Evaluator::State state(noCase, {});
  return state.autogradGrad(positional, keywords);
}

values::Value Evaluator::State::autogradBackward(const values::ValueList& positional,
                                                 const torch_names::KeywordList& keywords) {
  enum { kTensors, kTangents, kRetain, kCreate, kVariables, kInputs };
  Arguments arguments("backward",
                      {"tensors", "grad_tensors", "retain_graph", "create_graph", "grad_variables", "inputs"},
                      positional, keywords, 1);
  auto sequence = [&](const values::Value& value) {
    return value.isTensor() ? values::ValueList{value} : iterate(value);
  };
  const values::Value* wanted = arguments.find(kInputs);
  const values::ValueList inputs = wanted && !wanted->isNone() ? sequence(*wanted) : values::ValueList();
  if (wanted && !wanted->isNone() && inputs.empty()) {
    raiseError("RuntimeError", "`inputs` argument to `backward()` cannot be empty.");
  }
  const values::ValueList outputs = sequence(arguments.at(kTensors));
  const values::Value* given = arguments.find(kTangents);
  const values::ValueList tangents =
      completeTangents(outputs, given && !given->isNone() ? sequence(*given) : values::ValueList(outputs.size()));
  const bool createGraph = arguments.flag(kCreate, false);
  EngineOptions options{arguments.flag(kRetain, createGraph), createGraph, true, true, this->options.wholeGradients};
  runEngine(outputs, tangents, inputs, options);
  return {};
}

values::Value Evaluator::State::tensorBackward(const at::Tensor& tensor, const values::ValueList& positional,
                                               const torch_names::KeywordList& keywords) {
  Arguments arguments("Tensor.backward", {"gradient", "retain_graph", "create_graph", "inputs"}, positional, keywords);
  torch_names::KeywordList passed;
  const char* const names[] = {"grad_tensors", "retain_graph", "create_graph", "inputs"};
  for (size_t i = 0; i < 4; ++i) {
    if (const values::Value* value = arguments.find(i)) {
      passed.emplace_back(names[i], *value);
    }
  }
  return autogradBackward({values::Value(tensor)}, passed);
}

} // namespace touchstone::evaluator
