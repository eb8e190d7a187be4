#pragma once

#include "backends/compiled_autograd/CompiledAutograd.h"
#include "backends/fake/BackwardWalk.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/randn.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <c10/util/Exception.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/csrc/autograd/engine.h>
#include <torch/csrc/autograd/function_hook.h>
#include <torch/csrc/autograd/variable.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <typeinfo>
#include <unordered_map>
#include <vector>

// Judges walkBackward and compiled autograd against the engine: the same graph is built anew from the same seed for each, and
// everything observable is written down as text. Equal texts, equal behaviour.
namespace touchstone::tests {

inline std::string describeStrides(const at::Tensor& tensor) {
  std::string text;
  for (int64_t dimension = 0; dimension < tensor.dim(); ++dimension) {
    text += tensor.size(dimension) == 1 ? " _" : fmt::format(" {}", tensor.stride(dimension));
  }
  return text;
}

/// Shape, strides, dtype, bits of the values: two tensors with equal texts are the same bit for bit. Strides of dimensions
/// of size one are left out: sums in place and out of place differ in them.
inline std::string describeTensor(const at::Tensor& tensor) {
  if (!tensor.defined()) {
    return "undefined";
  }
  if (tensor.is_sparse()) {
    return fmt::format("sparse {} indices {} values {}", fmt::join(tensor.sizes(), "x"),
                       describeTensor(tensor._indices()), describeTensor(tensor._values()));
  }
  const at::Tensor plain = tensor.detach().resolve_conj().resolve_neg().contiguous();
  const auto* bytes = static_cast<const unsigned char*>(plain.const_data_ptr());
  uint64_t hash = 1469598103934665603u; // FNV-1a
  for (size_t index = 0; index < plain.nbytes(); ++index) {
    hash = (hash ^ bytes[index]) * 1099511628211u;
  }
  return fmt::format("{} sizes {} strides{} values {:x}{}", c10::toString(tensor.scalar_type()),
                     fmt::join(tensor.sizes(), "x"), describeStrides(tensor), hash,
                     tensor.requires_grad() ? " requires grad" : "");
}

/// What is differentiated, and how.
struct Scene {
  std::vector<at::Tensor> leaves; ///< whose `.grad` is looked at afterwards
  std::vector<at::Tensor> outputs;
  std::vector<at::Tensor> wanted; ///< none with `accumulate`: the engine then runs only what leads to them
  std::vector<at::Tensor> tangents; ///< random where there are fewer than outputs; undefined with several outputs only
  fake::BackwardWalkOptions options;
  int times = 1; ///< how often the same graph is differentiated
  std::shared_ptr<std::vector<std::string>> log = std::make_shared<std::vector<std::string>>();

  at::Tensor leaf(at::IntArrayRef sizes, at::ScalarType dtype = at::kFloat) {
    leaves.push_back(at::randn(sizes, dtype).requires_grad_(true));
    return leaves.back();
  }
  /// A hook of a tensor that says that it ran, with which gradient, and returns `factor` times the gradient.
  std::function<at::Tensor(const at::Tensor&)> hook(const std::string& name, double factor) const {
    return [log = log, name, factor](const at::Tensor& gradient) {
      log->push_back(fmt::format("hook {}: {}{}", name, describeTensor(gradient),
                                 at::GradMode::is_enabled() ? " with gradient mode" : ""));
      return gradient.defined() ? gradient * factor : gradient;
    };
  }
};

using BuildScene = std::function<void(Scene&)>;

struct CallingPreHook : torch::autograd::FunctionPreHook {
  explicit CallingPreHook(std::function<void(torch::autograd::variable_list&)> changeGradients)
      : changeGradients(std::move(changeGradients)) {}
  torch::autograd::variable_list operator()(const torch::autograd::variable_list& gradients) override {
    torch::autograd::variable_list changed = gradients;
    changeGradients(changed);
    return changed;
  }
  std::function<void(torch::autograd::variable_list&)> changeGradients;
};

/// Makes every node that `outputs` reach say that it runs, and what it was given.
inline void logNodes(const Scene& scene) {
  std::unordered_map<torch::autograd::Node*, size_t> numbers;
  std::vector<torch::autograd::Node*> found;
  auto arrive = [&](torch::autograd::Node* node) {
    if (node && numbers.emplace(node, found.size()).second) {
      found.push_back(node);
    }
  };
  for (const at::Tensor& output : scene.outputs) {
    arrive(torch::autograd::impl::gradient_edge(output).function.get());
  }
  for (size_t number = 0; number < found.size(); ++number) {
    torch::autograd::Node* node = found[number];
    for (const auto& edge : node->next_edges()) {
      arrive(edge.function.get());
    }
    const std::string name = fmt::format("{} {}", number, node->name());
    node->add_pre_hook(
        std::make_unique<CallingPreHook>([log = scene.log, name](torch::autograd::variable_list& gradients) {
          std::string line = "node " + name;
          for (const at::Tensor& gradient : gradients) {
            line += "; " + describeTensor(gradient);
          }
          log->push_back(line);
        }));
  }
}

inline std::string firstLine(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

inline std::string describeError(const std::exception& error) {
  const auto* known = dynamic_cast<const c10::Error*>(&error);
  return fmt::format("{}: {}", typeid(error).name(), firstLine(known ? known->what_without_backtrace() : error.what()));
}

/// Hands back no gradient. The engine takes no undefined tangent; behind this node it arrives there all the same.
struct Blocked : torch::autograd::Function<Blocked> {
  static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& a) { return a.clone(); }
  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 torch::autograd::variable_list gradients) {
    return {at::Tensor()};
  }
};

enum class Runner { kEngine, kWalk, kCompiled };

inline torch::autograd::variable_list differentiate(Runner runner, const torch::autograd::edge_list& roots,
                                                    torch::autograd::variable_list& tangents,
                                                    const torch::autograd::edge_list& wanted,
                                                    const fake::BackwardWalkOptions& options) {
  if (runner == Runner::kWalk) {
    return fake::walkBackward(roots, tangents, wanted, options);
  }
  return torch::autograd::Engine::get_default_engine().execute(roots, tangents, options.keepGraph, false,
                                                               options.accumulate, wanted);
}

/// Gradients, `.grad`s, which of them share memory, what hooks and nodes said, in order, and the error if there was one.
inline std::string runScene(const BuildScene& build, uint64_t seed, Runner runner, bool withLog,
                            const std::shared_ptr<compiled_autograd::CompiledAutograd>& compiled = nullptr) {
  at::manual_seed(seed);
  Scene scene;
  build(scene);
  for (size_t index = scene.tangents.size(); index < scene.outputs.size(); ++index) {
    scene.tangents.push_back(
        at::randn(scene.outputs[index].sizes(), scene.outputs[index].options().requires_grad(false)));
  }
  torch::autograd::edge_list roots;
  torch::autograd::edge_list wanted;
  torch::autograd::variable_list givenTangents = scene.tangents;
  for (size_t index = 0; index < scene.outputs.size(); ++index) {
    at::Tensor output = scene.outputs[index];
    if (runner != Runner::kWalk && !scene.tangents[index].defined()) {
      output = Blocked::apply(output);
      givenTangents[index] = output.detach();
    }
    roots.push_back(torch::autograd::impl::gradient_edge(output));
  }
  for (const at::Tensor& tensor : scene.wanted) {
    wanted.push_back(torch::autograd::impl::gradient_edge(tensor));
  }
  if (withLog) {
    logNodes(scene);
  }
  std::string text;
  for (int time = 0; time < scene.times; ++time) {
    torch::autograd::variable_list tangents = givenTangents; // the engine writes into what it is given
    torch::autograd::variable_list gradients;
    const auto keys = c10::impl::tls_local_dispatch_key_set();
    try {
      std::optional<compiled_autograd::CompiledAutogradScope> scope;
      if (compiled) {
        scope.emplace(compiled);
      }
      gradients = differentiate(runner, roots, tangents, wanted, scene.options);
    } catch (const std::exception& error) {
      text += "error: " + describeError(error) + "\n";
    }
    const auto keysAfter = c10::impl::tls_local_dispatch_key_set();
    if (!at::GradMode::is_enabled() || keysAfter.included_ != keys.included_ || keysAfter.excluded_ != keys.excluded_) {
      text += "The thread's state is not restored.\n";
    }
    std::vector<at::Tensor> seen = scene.tangents;
    auto look = [&](const std::string& name, const at::Tensor& tensor) {
      text += name + ": " + describeTensor(tensor);
      if (tensor.defined() && !tensor.is_sparse()) {
        for (size_t other = 0; other < seen.size(); ++other) {
          if (seen[other].defined() && !seen[other].is_sparse() && seen[other].is_alias_of(tensor)) {
            text += fmt::format(" shares memory with {}", other);
          }
        }
      }
      seen.push_back(tensor);
      text += "\n";
    };
    for (size_t index = 0; index < gradients.size(); ++index) {
      look(fmt::format("wanted {}", index), gradients[index]);
    }
    for (size_t index = 0; index < scene.leaves.size(); ++index) {
      look(fmt::format(".grad {}", index), scene.leaves[index].grad());
    }
  }
  return fmt::format("{}{}\n", text, fmt::join(*scene.log, "\n"));
}

/// The walk, compiled autograd when it captures and when it runs what it has captured, and the engine do the same to the scene,
/// with and without hooks on every node. Gives what compiled autograd did without them.
inline compiled_autograd::CompiledAutogradCounts expectAsEngine(const BuildScene& build, uint64_t seed = 3) {
  compiled_autograd::CompiledAutogradCounts counts;
  for (bool withLog : {true, false}) {
    const std::string engine = runScene(build, seed, Runner::kEngine, withLog);
    const char* hooks = withLog ? "with hooks on every node" : "without hooks on every node";
    EXPECT_EQ(engine, runScene(build, seed, Runner::kWalk, withLog)) << hooks;
    const auto compiled = std::make_shared<compiled_autograd::CompiledAutograd>();
    EXPECT_EQ(engine, runScene(build, seed, Runner::kCompiled, withLog, compiled)) << hooks << ", captured";
    runScene(build, seed + 1, Runner::kCompiled, withLog, compiled);
    EXPECT_EQ(engine, runScene(build, seed, Runner::kCompiled, withLog, compiled)) << hooks << ", compiled";
    counts = compiled->counts();
  }
  return counts;
}

} // namespace touchstone::tests
