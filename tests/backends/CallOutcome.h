#pragma once

#include "program/evaluator/Evaluator.h"
#include "program/language/Case.h"
#include "program/values/Callable.h"
#include "program/values/RaisedException.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Context.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/allclose.h>
#include <ATen/ops/arange.h>
#include <torch/csrc/autograd/engine.h>
#include <torch/csrc/autograd/variable.h>

#include <cstring>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace touchstone::tests {

/// What one call of a Program has left behind.
struct CallOutcome {
  std::vector<at::Tensor> inputs, outputs, gradients; // the objects
  std::vector<bool> bumped; // whether an input's version has changed
  std::vector<at::Tensor> generator; // state after the forward, and after the backward
  std::string error, backwardError; // type and first line
};

inline std::string firstLine(const std::exception_ptr& pointer) {
  try {
    std::rethrow_exception(pointer);
  } catch (...) {
    const values::RaisedException error = values::currentException();
    return error.type() + ": " + error.message().substr(0, error.message().find('\n'));
  }
}

inline at::Tensor generatorState() {
  return at::detail::getDefaultCPUGenerator().get_state();
}

/// A tangent whose values depend on nothing but the sizes.
inline at::Tensor tangentFor(const at::Tensor& root) {
  return at::arange(root.numel(), at::kDouble).add(0.5).sin().to(root.scalar_type()).view(root.sizes());
}

/// Calls with fresh inputs of the Case's function `inputs`; then runs a backward from all outputs and all arguments
/// written to, for what the gradient is asked of: leaves, and arguments that are neither leaves nor views.
inline CallOutcome callProgram(const language::Case& theCase, values::Callable& program, int64_t seed,
                               bool withBackward = true, const std::string& kind = "uniform") {
  CallOutcome outcome;
  evaluator::InputSet made = evaluator::Evaluator(theCase).makeInputs("inputs", seed, kind);
  std::vector<at::Tensor> given;
  for (const values::ValueList* values : {&made.arguments, &made.watched}) {
    for (const values::Value& value : *values) {
      values::collectTensors(value, given);
    }
  }
  torch::autograd::edge_list wanted;
  std::vector<uint32_t> versions;
  for (const at::Tensor& tensor : given) {
    if (tensor.requires_grad() && (tensor.is_leaf() || !tensor.is_view())) {
      wanted.push_back(torch::autograd::impl::gradient_edge(tensor));
    }
    versions.push_back(tensor.is_inference() ? 0 : static_cast<uint32_t>(tensor._version()));
  }
  outcome.inputs = given;
  values::ValueList arguments = made.arguments;
  at::manual_seed(5);
  try {
    values::collectTensors(program(arguments), outcome.outputs);
  } catch (...) {
    outcome.error = firstLine(std::current_exception());
  }
  outcome.generator.push_back(generatorState());
  for (size_t i = 0; i < given.size(); ++i) {
    outcome.bumped.push_back(!given[i].is_inference() && static_cast<uint32_t>(given[i]._version()) != versions[i]);
  }
  if (!outcome.error.empty() || !withBackward || wanted.empty()) {
    return outcome;
  }
  std::vector<at::Tensor> rootTensors;
  auto addRoot = [&](const at::Tensor& tensor) {
    for (const at::Tensor& known : rootTensors) {
      if (known.is_same(tensor)) {
        return;
      }
    }
    if (tensor.defined() && tensor.requires_grad()) {
      rootTensors.push_back(tensor);
    }
  };
  try {
    for (const at::Tensor& output : outcome.outputs) {
      addRoot(output);
    }
    for (size_t i = 0; i < given.size(); ++i) {
      if (outcome.bumped[i]) {
        addRoot(given[i]);
      }
    }
    torch::autograd::edge_list roots;
    torch::autograd::variable_list tangents;
    for (const at::Tensor& root : rootTensors) {
      roots.push_back(torch::autograd::impl::gradient_edge(root));
      tangents.push_back(tangentFor(root));
    }
    if (!roots.empty()) {
      outcome.gradients =
          torch::autograd::Engine::get_default_engine().execute(roots, tangents, false, false, false, wanted);
    }
  } catch (...) {
    outcome.backwardError = firstLine(std::current_exception());
  }
  outcome.generator.push_back(generatorState());
  return outcome;
}

/// The elements' bytes, in order.
inline std::vector<char> bitsOf(const at::Tensor& tensor) {
  const at::Tensor plain = tensor.detach().resolve_conj().resolve_neg().contiguous();
  std::vector<char> bits(static_cast<size_t>(plain.numel()) * plain.element_size());
  if (!bits.empty()) {
    std::memcpy(bits.data(), plain.const_data_ptr(), bits.size());
  }
  return bits;
}

/// Empty when two tensors have the same dtype, sizes and bits; else what differs. NaNs are told apart by their bits.
inline std::string differenceOfValues(const at::Tensor& left, const at::Tensor& right) {
  std::ostringstream text;
  if (left.defined() != right.defined()) {
    text << "defined: " << left.defined() << " and " << right.defined();
  } else if (left.defined() && left.scalar_type() != right.scalar_type()) {
    text << "dtypes " << left.scalar_type() << " and " << right.scalar_type();
  } else if (left.defined() && left.sizes() != right.sizes()) {
    text << "sizes " << left.sizes() << " and " << right.sizes();
  } else if (left.defined() && bitsOf(left) != bitsOf(right)) {
    text << "values\n" << left.detach().resolve_conj() << "\nand\n" << right.detach().resolve_conj() << "\n";
  }
  return text.str();
}

/// Empty when the calls have left the same; else every difference, a line each. `exactGradients`: false where sums of
/// gradients may be made in another order.
inline std::string differenceOf(const CallOutcome& eager, const CallOutcome& compiled, bool exactGradients = true) {
  std::ostringstream text;
  if (eager.error != compiled.error) {
    text << "raised `" << eager.error << "` and `" << compiled.error << "`\n";
  }
  if (eager.backwardError != compiled.backwardError) {
    text << "backward raised `" << eager.backwardError << "` and `" << compiled.backwardError << "`\n";
  }
  auto compare = [&](const char* what, const std::vector<at::Tensor>& left, const std::vector<at::Tensor>& right,
                     bool isGradient) {
    if (left.size() != right.size()) {
      text << what << " count " << left.size() << " and " << right.size() << "\n";
      return;
    }
    for (size_t i = 0; i < left.size(); ++i) {
      const at::Tensor &a = left[i], &b = right[i];
      const std::string values = differenceOfValues(a, b);
      const bool isRounding = isGradient && !exactGradients && a.defined() && b.defined() && a.sizes() == b.sizes() &&
                              at::allclose(a, b, 1e-5, 1e-6);
      if (!values.empty() && !isRounding) {
        text << what << " " << i << " " << values << "\n";
        continue;
      }
      if (!a.defined() || isGradient) {
        continue;
      }
      auto fact = [&](const char* name, auto x, auto y) {
        if (x != y) {
          text << what << " " << i << " " << name << " " << x << " and " << y << "\n";
        }
      };
      fact("strides", a.strides(), b.strides());
      fact("offset", a.storage_offset(), b.storage_offset());
      fact("bytes", a.storage().nbytes(), b.storage().nbytes());
      fact("requires_grad", a.requires_grad(), b.requires_grad());
      fact("leaf", a.is_leaf(), b.is_leaf());
      fact("conjugate", a.is_conj(), b.is_conj());
      fact("negative", a.is_neg(), b.is_neg());
      fact("inference", a.is_inference(), b.is_inference());
    }
  };
  compare("input", eager.inputs, compiled.inputs, false);
  compare("output", eager.outputs, compiled.outputs, false);
  for (size_t i = 0; i < eager.bumped.size(); ++i) {
    if (eager.bumped[i] && !compiled.bumped.at(i)) {
      text << "version of input " << i << " was not bumped\n";
    }
  }
  compare("gradient", eager.gradients, compiled.gradients, true);
  for (size_t i = 0; i < std::min(eager.generator.size(), compiled.generator.size()); ++i) {
    if (!eager.generator[i].equal(compiled.generator[i])) {
      text << "generator state " << i << "\n";
    }
  }
  auto numbers = [](const CallOutcome& outcome, bool ofStorage) {
    std::map<const void*, int> known;
    std::vector<int> result;
    for (const auto* tensors : {&outcome.inputs, &outcome.outputs}) {
      for (const at::Tensor& tensor : *tensors) {
        const void* key = !tensor.defined() ? nullptr
                          : ofStorage       ? static_cast<const void*>(tensor.storage().unsafeGetStorageImpl())
                                            : static_cast<const void*>(tensor.unsafeGetTensorImpl());
        result.push_back(known.try_emplace(key, static_cast<int>(known.size())).first->second);
      }
    }
    return result;
  };
  if (numbers(eager, false) != numbers(compiled, false)) {
    text << "identity\n";
  }
  if (numbers(eager, true) != numbers(compiled, true)) {
    text << "partition into storages\n";
  }
  return text.str();
}

} // namespace touchstone::tests
