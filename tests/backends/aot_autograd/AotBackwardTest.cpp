#include "backends/aot_autograd/CompiledBackward.h"

#include "backends/debugging/CompilerRegistry.h"
#include "program/evaluator/Hooks.h"
#include "program/values/AutogradNodes.h"
#include "tests/backends/CompiledCalls.h"
#include "tests/backends/DebuggingCalls.h"

#include <ATen/autocast_mode.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/complex.h>
#include <ATen/ops/empty_strided.h>
#include <ATen/ops/imag.h>
#include <ATen/ops/ones.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/engine.h>
#include <torch/csrc/autograd/saved_variable_hooks.h>

namespace touchstone::tests {
namespace {

using torch::autograd::Edge;
using torch::autograd::variable_list;

variable_list gradients(const variable_list& outputs, const variable_list& inputs, const variable_list& tangents,
                        bool retain = false, bool createGraph = false) {
  return torch::autograd::grad(outputs, inputs, tangents, retain, createGraph, /*allow_unused=*/true);
}

TEST(AotBackwardTest, OneNodeWithTheRightEdges) {
  CompiledCalls calls("x, w, n", "y = x * w\nz = w.sin()\nreturn y, z, n + 1");
  const at::Tensor x = leaf({3}), w = leaf({3}, 1), n = values({3});
  const auto outputs = calls({x, w, n});
  ASSERT_NE(outputs[0].grad_fn(), nullptr);
  EXPECT_EQ(outputs[0].grad_fn()->name(), "CompiledFunctionBackward");
  EXPECT_EQ(outputs[0].grad_fn(), outputs[1].grad_fn());
  EXPECT_NE(outputs[0].output_nr(), outputs[1].output_nr());
  EXPECT_FALSE(outputs[2].requires_grad());
  std::vector<torch::autograd::Node*> next;
  for (const Edge& edge : outputs[0].grad_fn()->next_edges()) {
    if (edge.is_valid()) {
      next.push_back(edge.function.get());
    }
  }
  EXPECT_EQ(next, (std::vector<torch::autograd::Node*>{torch::autograd::impl::gradient_edge(x).function.get(),
                                                       torch::autograd::impl::gradient_edge(w).function.get()}));
}

TEST(AotBackwardTest, EdgesLeadBehindInputsThatAreNoLeaves) {
  CompiledCalls calls("x", "y = x.sin()\nx.mul_(2)\nreturn y");
  const at::Tensor base = leaf({3});
  const at::Tensor x = base * 1;
  const auto before = x.grad_fn();
  const auto outputs = calls({x});
  EXPECT_EQ(x.grad_fn(), outputs[0].grad_fn()) << "the written input belongs to the node";
  EXPECT_EQ(x.grad_fn()->name(), "CompiledFunctionBackward");
  ASSERT_EQ(x.grad_fn()->num_outputs(), 1u);
  EXPECT_EQ(x.grad_fn()->next_edge(0).function, before);
}

TEST(AotBackwardTest, WhatNoRootReachesIsNone) {
  const char* body = "return x.sin(), w.cos() * 2, x * w, x.detach() + 1";
  CompiledCalls calls("x, w", body);
  for (int subset = 1; subset < 8; ++subset) {
    variable_list results[2];
    for (const bool isCompiled : {false, true}) {
      const at::Tensor x = leaf({3}), w = leaf({3}, 1);
      const auto outputs = CompiledCalls::call(isCompiled ? *calls.compiled : *calls.eager, {x, w});
      variable_list roots, tangents;
      for (int i = 0; i < 3; ++i) {
        if ((subset >> i & 1) != 0) {
          roots.push_back(outputs[static_cast<size_t>(i)]);
          tangents.push_back(values({3}, i + 4));
        }
      }
      results[isCompiled ? 1 : 0] = gradients(roots, {x, w}, tangents);
    }
    for (size_t i = 0; i < 2; ++i) {
      EXPECT_EQ(differenceOfValues(results[0][i], results[1][i]), "") << "roots " << subset << ", gradient " << i;
    }
  }
}

/// Tangents of the same values in unusual memory.
std::vector<std::pair<const char*, at::Tensor>> tangentsOf(at::IntArrayRef sizes, at::ScalarType dtype) {
  const at::Tensor plain = values(sizes, 7, dtype);
  const int64_t rows = sizes[0], columns = sizes[1];
  std::vector<std::pair<const char*, at::Tensor>> result = {{"contiguous", plain}};
  result.push_back({"transposed", plain.t().contiguous().t()});
  at::Tensor room = values({rows + 3, columns * 2 + 5}, 9, dtype);
  at::Tensor gapped = room.slice(0, 2, rows + 2).slice(1, 1, columns * 2 + 1, 2);
  gapped.copy_(plain);
  result.push_back({"gapped, with an offset", gapped});
  at::Tensor offset = values({rows * columns + 4}, 9, dtype).slice(0, 4).view(sizes);
  offset.copy_(plain);
  result.push_back({"contiguous, with an offset", offset});
  result.push_back({"expanded", values({columns}, 3, dtype).expand(sizes)});
  result.push_back({"expanded scalar", values({1}, 3, dtype).expand(sizes)});
  return result;
}

TEST(AotBackwardTest, TangentsOfAnyLayout) {
  for (const char* body : {"return x * x.t().sum(0, keepdim=True).t()", "return (x @ w).relu()",
                           "return x.t().exp().t()", "return (x * w[0]).cumsum(0).view(3, 3)",
                           "return x.flatten().view(3, 3) * w[0]", "return x.as_strided((3, 3), (1, 3), 0)",
                           "y = x * 2\ny[1].mul_(w[0])\nreturn y", "return x.view(9)[2:5].expand(3, 3)"}) {
    CompiledCalls calls("x, w", body);
    for (const auto& [name, tangent] : tangentsOf({3, 3}, at::kDouble)) {
      variable_list results[2];
      for (const bool isCompiled : {false, true}) {
        const at::Tensor x = leaf({3, 3}, 0, at::kDouble), w = leaf({3, 3}, 1, at::kDouble);
        const auto outputs = CompiledCalls::call(isCompiled ? *calls.compiled : *calls.eager, {x, w});
        results[isCompiled ? 1 : 0] = gradients({outputs[0]}, {x, w}, {tangent});
      }
      for (size_t i = 0; i < 2; ++i) {
        EXPECT_EQ(differenceOfValues(results[0][i], results[1][i]), "") << body << "\n" << name << ", gradient " << i;
      }
    }
    EXPECT_EQ(calls.compiled->report().graphs, 1);
  }
}

TEST(AotBackwardTest, TangentsWithLazyBits) {
  CompiledCalls calls("x", "return x * (2 + 1j)");
  variable_list results[2];
  for (const bool isCompiled : {false, true}) {
    const at::Tensor x = at::complex(values({4}), values({4}, 2)).requires_grad_();
    const auto outputs = CompiledCalls::call(isCompiled ? *calls.compiled : *calls.eager, {x});
    const at::Tensor tangent = at::complex(values({4}, 5), values({4}, 6)).conj();
    EXPECT_TRUE(tangent.is_conj());
    results[isCompiled ? 1 : 0] = gradients({outputs[0]}, {x}, {tangent});
  }
  EXPECT_EQ(differenceOfValues(results[0][0], results[1][0]), "");
  CompiledCalls reals("x", "return x * 3");
  const at::Tensor x = leaf({4});
  const at::Tensor negative = at::imag(at::complex(values({4}), values({4}, 2)).conj());
  ASSERT_TRUE(negative.is_neg());
  EXPECT_EQ(differenceOfValues(gradients({reals({x})[0]}, {x}, {negative})[0], negative * 3), "");
}

TEST(AotBackwardTest, AnUndefinedTangentCountsAsZero) {
  CompiledCalls calls("x, w", "return x * w, x.sin()");
  variable_list results[2];
  for (const bool isCompiled : {false, true}) {
    const at::Tensor x = leaf({3}), w = leaf({3}, 1);
    const auto outputs = CompiledCalls::call(isCompiled ? *calls.compiled : *calls.eager, {x, w});
    // A node between that hands on no gradient.
    struct Silent : torch::autograd::Node {
      variable_list apply(variable_list&&) override { return {at::Tensor()}; }
    };
    auto silent = values::makeNode<Silent>();
    silent->add_next_edge(torch::autograd::impl::gradient_edge(outputs[0]));
    silent->add_input_metadata(outputs[0]);
    variable_list tangents{values({3}, 5), values({3}, 6)};
    results[isCompiled ? 1 : 0] = torch::autograd::Engine::get_default_engine().execute(
        {Edge(silent, 0), torch::autograd::impl::gradient_edge(outputs[1])}, tangents, false, false, false,
        {torch::autograd::impl::gradient_edge(x), torch::autograd::impl::gradient_edge(w)});
  }
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(differenceOfValues(results[0][i], results[1][i]), "") << i;
  }
}

TEST(AotBackwardTest, BackwardRunsAgainAsLongAsItIsRetained) {
  CompiledCalls calls("x", "return (x.sin() * x).exp()");
  std::string errors[2];
  for (const bool isCompiled : {false, true}) {
    const at::Tensor x = leaf({3});
    const at::Tensor y = CompiledCalls::call(isCompiled ? *calls.compiled : *calls.eager, {x})[0];
    const at::Tensor first = gradients({y}, {x}, {at::ones({3})}, true)[0];
    EXPECT_EQ(differenceOfValues(gradients({y}, {x}, {at::ones({3})}, true)[0], first), "");
    EXPECT_EQ(differenceOfValues(gradients({y}, {x}, {at::ones({3})}, false)[0], first), "");
    errors[isCompiled ? 1 : 0] = errorOf([&] { gradients({y}, {x}, {at::ones({3})}); });
  }
  EXPECT_FALSE(errors[0].empty());
  EXPECT_EQ(errors[0], errors[1]);
}

TEST(AotBackwardTest, GradientsAreAddedToWhatIsThere) {
  CompiledCalls calls("x", "return (x * x).sum()");
  at::Tensor sums[2];
  for (const bool isCompiled : {false, true}) {
    const at::Tensor x = leaf({3});
    for (int round = 0; round < 3; ++round) {
      CompiledCalls::call(isCompiled ? *calls.compiled : *calls.eager, {x})[0].backward();
    }
    sums[isCompiled ? 1 : 0] = x.grad();
  }
  EXPECT_EQ(differenceOfValues(sums[0], sums[1]), "");
  EXPECT_EQ(calls.compiled->report().graphs, 1);
}

/// What a second derivative raises, taken by `.backward()` or by `torch.autograd.grad`.
std::string doubleBackwardError(bool accumulate) {
  CompiledCalls calls("x", "return (x * x * x).sum()");
  const at::Tensor x = leaf({3});
  const at::Tensor y = calls({x})[0];
  const at::Tensor gradient = gradients({y}, {x}, {}, true, true)[0];
  EXPECT_TRUE(gradient.requires_grad());
  return errorOf([&] {
    if (accumulate) {
      gradient.sum().backward();
    } else {
      gradients({gradient.sum()}, {x}, {});
    }
  });
}

constexpr const char* kDoubleBackward = "torch.compile with aot_autograd does not currently support double backward";

TEST(AotBackwardTest, DoubleBackwardIsRefused) {
  const std::string error = doubleBackwardError(true);
  EXPECT_NE(error.find(kDoubleBackward), std::string::npos) << error;
}

TEST(AotBackwardTest, DoubleBackwardByGradIsRefused) {
  const std::string error = doubleBackwardError(false);
  EXPECT_NE(error.find(kDoubleBackward), std::string::npos) << error;
}

TEST(AotBackwardTest, AChangeOfASavedTensorIsNoticed) {
  CompiledCalls calls("x, w", "return x * w");
  std::string errors[2];
  for (const bool isCompiled : {false, true}) {
    const at::Tensor x = leaf({3}), w = leaf({3}, 1) * 1;
    const at::Tensor y = CompiledCalls::call(isCompiled ? *calls.compiled : *calls.eager, {x, w})[0];
    w.detach().add_(1);
    errors[isCompiled ? 1 : 0] = errorOf([&] { gradients({y}, {x}, {at::ones({3})}); });
  }
  EXPECT_NE(errors[0].find("has been modified by an inplace operation"), std::string::npos) << errors[0];
  EXPECT_NE(errors[1].find("has been modified by an inplace operation"), std::string::npos) << errors[1];
}

TEST(AotBackwardTest, AChangeOfASavedOutputIsNoticed) {
  CompiledCalls calls("x", "return x.exp()");
  for (const bool isCompiled : {false, true}) {
    const at::Tensor x = leaf({3});
    const at::Tensor y = CompiledCalls::call(isCompiled ? *calls.compiled : *calls.eager, {x})[0];
    y.detach().add_(1);
    const std::string error = errorOf([&] { gradients({y}, {x}, {at::ones({3})}); });
    EXPECT_NE(error.find("has been modified by an inplace operation"), std::string::npos)
        << (isCompiled ? "compiled: " : "eager: ") << error;
  }
}

TEST(AotBackwardTest, AWriteInTheProgramIsNoChangeOfASavedTensor) {
  CompiledCalls calls("x, w", "y = x * w\nw.mul_(2)\nreturn y");
  const at::Tensor x = leaf({3}), w = values({3}, 1), before = w.clone();
  const at::Tensor y = calls({x, w})[0];
  // Eager refuses: it saved w itself. Compiled code may know better, but not give a wrong gradient.
  const std::string error =
      errorOf([&] { EXPECT_EQ(differenceOfValues(gradients({y}, {x}, {at::ones({3})})[0], before), ""); });
  EXPECT_TRUE(error.empty() || error.find("inplace operation") != std::string::npos) << error;
}

/// An engine with default hooks on saved tensors: what Python's `saved_tensors_hooks` installs.
class HookedEngine final : public torch::autograd::Engine {
 public:
  static HookedEngine& instance() {
    static auto* engine = new HookedEngine; // as long as the process, as engines are
    return *engine;
  }
  static torch::autograd::Engine& stub() { return instance(); }

  struct Hooks final : torch::autograd::SavedVariableHooks {
    void call_pack_hook(const at::Tensor& tensor) override {
      instance().packed.push_back(tensor.detach().clone());
      tensor_ = tensor.detach() * 2;
    }
    at::Tensor call_unpack_hook() override {
      ++instance().unpacked;
      return tensor_;
    }
    at::Tensor tensor_;
  };
  std::unique_ptr<torch::autograd::SavedVariableHooks> get_default_saved_variable_hooks() override {
    return enabled ? std::make_unique<Hooks>() : nullptr;
  }
  bool enabled = false;
  std::vector<at::Tensor> packed;
  int unpacked = 0;
};

TEST(AotBackwardTest, SavedTensorHooksSeeWhatIsSaved) {
  CompiledCalls calls("x, w", "return x * w");
  const at::Tensor x = leaf({3}), w = values({3}, 1);
  calls({x, w}); // compiled before there are hooks
  HookedEngine& engine = HookedEngine::instance();
  torch::autograd::set_default_engine_stub(&HookedEngine::stub);
  engine.enabled = true;
  const at::Tensor y = calls({x, w})[0];
  engine.enabled = false;
  torch::autograd::set_default_engine_stub(&torch::autograd::Engine::get_base_engine);
  ASSERT_EQ(engine.packed.size(), 1u);
  EXPECT_EQ(differenceOfValues(engine.packed[0], w), "");
  EXPECT_EQ(engine.unpacked, 0);
  const at::Tensor gradient = gradients({y}, {x}, {at::ones({3})})[0];
  EXPECT_EQ(engine.unpacked, 1);
  EXPECT_EQ(differenceOfValues(gradient, w * 2), "") << "the gradient is made of what the hook hands out";
}

TEST(AotBackwardTest, TheCallersModesAtBackwardTimeDoWhatTheyDoInEager) {
  CompiledCalls calls("x, w", "return torch.mm(x, w).sin()");
  const at::Tensor tangent = values({3, 3}, 3);
  const auto compiled = [&](const at::Tensor& x, const at::Tensor& w) { return calls({x, w})[0]; };
  const auto eager = [](const at::Tensor& x, const at::Tensor& w) { return at::mm(x, w).sin(); };
  const auto run = [&](const auto& program, const std::function<void(const std::function<void()>&)>& around) {
    const at::Tensor x = leaf({3, 3}), w = leaf({3, 3}, 1);
    const at::Tensor y = program(x, w);
    variable_list result;
    around([&] { result = gradients({y}, {x, w}, {tangent}); });
    return result;
  };
  const auto plainly = [](const auto& body) { body(); };
  const auto inAutocast = [](const auto& body) {
    at::autocast::set_autocast_enabled(at::kCPU, true);
    at::autocast::set_autocast_dtype(at::kCPU, at::kBFloat16);
    body();
    at::autocast::set_autocast_enabled(at::kCPU, false);
    at::autocast::clear_cache();
  };
  const auto inNoGrad = [](const auto& body) {
    at::NoGradGuard guard;
    body();
  };
  const variable_list plain = run(compiled, plainly), autocast = run(compiled, inAutocast);
  const variable_list plainAgain = run(compiled, plainly), noGrad = run(compiled, inNoGrad);
  const variable_list expected = run(eager, inAutocast);
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(differenceOfValues(plain[i], noGrad[i]), "");
    EXPECT_EQ(differenceOfValues(autocast[i], expected[i]), "");
    EXPECT_NE(differenceOfValues(autocast[i], plain[i]), "") << "mm is cast";
    EXPECT_EQ(differenceOfValues(plainAgain[i], plain[i]), "");
  }
}

TEST(AotBackwardTest, AutocastOfTheForwardIsKeptInTheBackward) {
  const char* body =
      "with torch.autocast(\"cpu\", dtype=torch.bfloat16):\n    y = torch.mm(x, w)\nreturn y.float().sin()";
  CompiledCalls calls("x, w", body);
  variable_list results[2];
  for (const bool isCompiled : {false, true}) {
    const at::Tensor x = leaf({3, 3}), w = leaf({3, 3}, 1);
    const auto outputs = CompiledCalls::call(isCompiled ? *calls.compiled : *calls.eager, {x, w});
    results[isCompiled ? 1 : 0] = gradients({outputs[0]}, {x, w}, {values({3, 3}, 3)});
  }
  EXPECT_EQ(differenceOfValues(results[0][0], results[1][0]), "");
  EXPECT_EQ(differenceOfValues(results[0][1], results[1][1]), "");
}

TEST(AotBackwardTest, RetainedGradientsAndHooksOfTheCaller) {
  CompiledCalls calls("x", "y = x.sin()\nreturn y, y * 2");
  at::Tensor seen[2], grads[2];
  for (const bool isCompiled : {false, true}) {
    const size_t side = isCompiled ? 1 : 0;
    const at::Tensor x = leaf({3});
    const auto outputs = CompiledCalls::call(isCompiled ? *calls.compiled : *calls.eager, {x});
    outputs[0].retain_grad();
    outputs[1].register_hook([&](const at::Tensor& gradient) { return gradient * 3; });
    (outputs[0] * 5 + outputs[1]).sum().backward();
    seen[side] = outputs[0].grad();
    grads[side] = x.grad();
  }
  EXPECT_EQ(differenceOfValues(grads[0], grads[1]), "");
  ASSERT_TRUE(seen[1].defined());
}

TEST(AotBackwardTest, HooksOfANodeThatNothingWantsAreAskedAndAreNotThoseOfAnOutput) {
  DebuggingCalls calls(
      "def negate(g):\n    return -g\n\n\n"
      "def program(x):\n    a, b = (x * 2).unbind(0)\n    a.register_hook(negate)\n    return b\n",
      debugging::lookUpCompiler("aot_eager"));
  for (values::Callable* program : {calls.eager.get(), static_cast<values::Callable*>(calls.compiled.get())}) {
    const at::Tensor x = leaf({2, 3}), other = leaf({1});
    const at::Tensor output = DebuggingCalls::call(*program, {x}).at(0);
    EXPECT_NE(errorOf([&] { gradients({output}, {other}, {at::ones({3})}); }).find("NoneType"), std::string::npos)
        << "the hook is given None";
    EXPECT_EQ(evaluator::hasHooks(output), program == calls.eager.get());
  }
}

TEST(AotBackwardTest, AFormulaThatRaisesRaisesInTheBackward) {
  const char* body = "x = x * 1\nz = x.exp()\nz.add_(1)\nreturn z, x * 2";
  CompiledCalls calls("x", body);
  std::string errors[2];
  for (const bool isCompiled : {false, true}) {
    const at::Tensor x = leaf({3});
    const auto outputs = CompiledCalls::call(isCompiled ? *calls.compiled : *calls.eager, {x});
    errors[isCompiled ? 1 : 0] = errorOf([&] { gradients({outputs[0]}, {x}, {at::ones({3})}); });
    if (isCompiled) {
      const auto again = CompiledCalls::call(*calls.compiled, {x});
      EXPECT_EQ(differenceOfValues(gradients({again[1]}, {x}, {at::ones({3})})[0], at::ones({3}) * 2), "")
          << "the other output works";
    }
  }
  EXPECT_NE(errors[0].find("inplace operation"), std::string::npos) << errors[0];
  EXPECT_EQ(errors[0], errors[1]);
}

/// An error's text from where it no longer says which output of which node it is about.
std::string withoutNode(const std::string& error) {
  for (const char* verb : {" is at version ", " is a view "}) {
    if (error.find(verb) != std::string::npos) {
      return error.substr(error.find(verb));
    }
  }
  return error;
}

TEST(AotBackwardTest, OutputsMayBeWrittenAfterwards) {
  for (const char* body :
       {"y = x.sin()\nreturn y, y[1]", "y = x.exp()\nreturn y[1], y", "y = x * w\nreturn y[0], y[:, 1]",
        "return x[1], x", "x.mul_(w)\nreturn x, x.t()", "y = x * w\nreturn y, y.detach()", "return x.view(9), x * w",
        "a, b, c = (x * w).unbind(0)\nreturn a, b", "y = x * w\nreturn y.expand(2, 3, 3)[0], w + 1",
        "with torch.no_grad():\n    y = x[1]\nreturn y, x * 2"}) {
    CompiledCalls calls("x, w", body);
    for (const size_t written : {0, 1}) {
      std::string errors[2];
      variable_list results[2];
      std::vector<at::Tensor> after[2];
      for (const bool isCompiled : {false, true}) {
        const size_t side = isCompiled ? 1 : 0;
        const at::Tensor base = leaf({3, 3}), w = leaf({3, 3}, 1);
        const at::Tensor x = base * 1;
        const auto outputs = CompiledCalls::call(isCompiled ? *calls.compiled : *calls.eager, {x, w});
        errors[side] = errorOf([&] {
          outputs[written].mul_(3);
          variable_list roots, tangents;
          for (const at::Tensor& tensor : {outputs[0], outputs[1], x}) {
            if (tensor.requires_grad()) {
              roots.push_back(tensor);
              tangents.push_back(tangentFor(tensor));
            }
          }
          results[side] = gradients(roots, {base, w}, tangents);
        });
        after[side] = {outputs[0], outputs[1], x};
      }
      const std::string where = std::string(body) + "\noutput " + std::to_string(written);
      EXPECT_EQ(withoutNode(errors[0]), withoutNode(errors[1])) << where;
      for (size_t i = 0; i < after[0].size(); ++i) {
        EXPECT_EQ(differenceOfValues(after[0][i], after[1][i]), "") << where << "\ntensor " << i;
      }
      for (size_t i = 0; i < results[0].size() && errors[1].empty(); ++i) {
        EXPECT_EQ(differenceOfValues(results[0][i], results[1][i]), "") << where << "\ngradient " << i;
      }
    }
  }
}

/// What two backwards from outputs of a Program with hooks that write in place leave: the gradients, and the tangents.
struct WrittenTangents {
  variable_list tensors;
  std::vector<int64_t> versions;
  std::string error;
};

WrittenTangents afterHooks(values::Callable& program, const std::vector<size_t>& roots, bool isOneTensor) {
  WrittenTangents left;
  const at::Tensor x = leaf({3, 3}), w = leaf({3, 3}, 1);
  const auto outputs = DebuggingCalls::call(program, {x, w});
  for (const bool isLast : {false, true}) {
    variable_list from, tangents;
    for (const size_t root : roots) {
      from.push_back(outputs[root]);
      tangents.push_back(isOneTensor && !tangents.empty() ? tangents[0]
                                                          : values({3, 3}, static_cast<double>(root) + 5));
    }
    left.error += errorOf([&] {
      for (const at::Tensor& gradient : gradients(from, {x, w}, tangents, /*retain=*/!isLast)) {
        left.tensors.push_back(gradient.defined() ? gradient.clone() : gradient);
      }
    });
    for (const at::Tensor& tangent : tangents) {
      left.tensors.push_back(tangent);
      left.versions.push_back(tangent._version());
    }
  }
  return left;
}

TEST(AotBackwardTest, WhatAHookWritesToATangentReachesTheGradientsAndWhoeverHoldsIt) {
  for (const char* hook :
       {"grad.mul_(2)", "grad.add_(1)", "grad.zero_()", "grad.copy_(grad.flip(0))", "grad[1].mul_(2)",
        "grad.t().add_(grad)", "v = grad.view(9)\n    v[2:5].zero_()\n    grad.add_(v.sum())",
        "grad.mul_(2)\n    return grad.sin()"}) {
    for (const char* body :
         {"y = x * w\n    z = y.sin()", "y = x.exp()\n    z = y[1:].t() @ w[1:]", "y = x.sin() * w\n    z = x * 1"}) {
      const std::string program = "def hook(grad):\n    " + std::string(hook) + "\n\n\ndef program(x, w):\n    " +
                                  body + "\n    y.register_hook(hook)\n    z.register_hook(hook)\n    return y, z\n";
      const language::Case theCase = debuggingCase(program);
      const auto eager = evaluator::eagerProgram(theCase);
      for (const char* backend : {"aot_joint", "aot_functional", "aot_eager_default_partitioner", "aot_eager",
                                  "aot_eager_decomp_partition"}) {
        const auto compiled = backends::makeBackend(backend)->compile(theCase);
        for (const auto& [roots, isOneTensor] : std::vector<std::pair<std::vector<size_t>, bool>>{
                 {{0}, false}, {{1}, false}, {{0, 1}, false}, {{0, 1}, true}}) {
          const std::string where = program + backend + (isOneTensor ? ", one tangent" : "");
          const WrittenTangents expected = afterHooks(*eager, roots, isOneTensor);
          const WrittenTangents found = afterHooks(*compiled, roots, isOneTensor);
          EXPECT_EQ(found.error, expected.error) << where;
          ASSERT_EQ(found.tensors.size(), expected.tensors.size()) << where;
          for (size_t i = 0; i < found.tensors.size(); ++i) {
            EXPECT_EQ(differenceOfValues(expected.tensors[i], found.tensors[i]), "") << where << "\n" << i;
          }
          for (size_t i = 0; i < found.versions.size(); ++i) {
            EXPECT_EQ(expected.versions[i] > 0, found.versions[i] > 0) << where << "\ntangent " << i;
          }
        }
      }
    }
  }
}

TEST(AotBackwardTest, AWrongTangentIsRefusedAsInEager) {
  CompiledCalls calls("x", "return x.sin() * x");
  std::string errors[2];
  for (const bool isCompiled : {false, true}) {
    const at::Tensor x = leaf({3});
    const at::Tensor y = CompiledCalls::call(isCompiled ? *calls.compiled : *calls.eager, {x})[0];
    errors[isCompiled ? 1 : 0] = errorOf([&] { gradients({y}, {x}, {at::ones({2})}); });
  }
  EXPECT_FALSE(errors[0].empty());
  EXPECT_EQ(errors[0], errors[1]);
}

TEST(AotBackwardTest, AWriteToAViewRunsOnceThoughNothingIsSaved) {
  const auto twice = [](values::Callable& program) {
    const at::Tensor b = at::ones({3});
    CompiledCalls::call(program, {b, leaf({1})});
    b.backward(at::ones({3}));
    return errorOf([&] { b.backward(at::ones({3})); });
  };
  CompiledCalls calls("b, w", "b[0:1].sub_(w)\nreturn None");
  const std::string eager = twice(*calls.eager);
  EXPECT_NE(eager.find("a second time"), std::string::npos) << eager;
  EXPECT_EQ(twice(*calls.compiled), eager);
}

} // namespace
} // namespace touchstone::tests
