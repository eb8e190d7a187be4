#include "backends/compilers/KnownDefects.h"
#include "backends/native/NativeBackends.h"
#include "harness/worker/Job.h"
#include "harness/worker/KnownCause.h"
#include "program/parser/CaseParser.h"
#include "program/standalone/CaseFile.h"

#include <ATen/ATen.h>

#include <gtest/gtest.h>
#include <torch/csrc/jit/ir/ir.h>
#include <torch/csrc/jit/passes/pass_manager.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>

namespace touchstone::tests {

namespace {

namespace fs = std::filesystem;

class KnownCauseTest : public testing::Test {
 protected:
  static void SetUpTestSuite() { native::registerNativeBackends(); }
};

const fs::path kKnown = fs::path(TOUCHSTONE_SOURCE_DIR) / "corpus" / "known";

std::string textOf(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

worker::BackendResult judgeText(const std::string& text, const std::string& backend) {
  worker::Job job;
  job.source = worker::PrintedCase{standalone::printCase(parser::parseCase(text))};
  job.backends = {backend};
  return worker::runCaseJob(job).backends.at(0);
}

/// Under the first backend to which it is known: what differentiates, what does not, what freezes alone, what removes writes.
worker::BackendResult judgeKnown(const std::string& text) {
  worker::BackendResult result;
  for (const char* backend : {"ts", "aot_ts", "simple_ts_compile", "ts_compile"}) {
    result = judgeText(text, backend);
    if (result.outcome == language::Outcome::kKnown) {
      break;
    }
  }
  return result;
}

/// A Program of two leaves, 2 by 2, whose first result is differentiated.
std::string gradientCase(const std::string& body, const std::string& kind = "grid") {
  return "# touchstone: 1\nimport torch\n\n\n"
         "def inputs(seed, kind):\n"
         "    x = data((2, 2), torch.float32, (seed, 0), kind).requires_grad_()\n"
         "    y = data((2, 2), torch.float32, (seed, 1), kind).requires_grad_()\n"
         "    return (x, y), ()\n\n\n"
         "def program(x, y):\n" +
         body +
         "\n\nCALLS = [\n"
         "    dict(inputs=\"inputs\"),\n"
         "    dict(inputs=\"inputs\", seed=1, kind=\"" +
         kind + "\", backward=[0]),\n    dict(inputs=\"inputs\", seed=2, kind=\"" + kind + "\", backward=[0]),\n]\n";
}

/// A Program of one tensor that gradients do not flow through.
std::string inferenceCase(const std::string& body) {
  return "# touchstone: 1\nimport torch\n\n\ndef inputs(seed, kind):\n    x = data((2,), torch.float32, (seed, 0), kind)\n"
         "    return (x,), ()\n\n\ndef program(x):\n" +
         body + "\n\nCALLS = [\n    dict(inputs=\"inputs\"),\n    dict(inputs=\"inputs\", seed=1),\n]\n";
}

/// While it lives, TorchScript's executor takes `sin` for `cos`: a defect that nobody knows.
class PlantedDefect {
 public:
  PlantedDefect() {
    id_ = torch::jit::registerPrePass([](std::shared_ptr<torch::jit::Graph>& graph) { plant(graph->block()); });
  }
  ~PlantedDefect() { torch::jit::clearAllPrePasses(); }

 private:
  static void plant(torch::jit::Block* block) {
    for (torch::jit::Node* node : block->nodes()) {
      for (torch::jit::Block* inner : node->blocks()) {
        plant(inner);
      }
      if (node->kind() == c10::aten::sin) {
        const torch::jit::WithInsertPoint here(node);
        torch::jit::Value* wrong = block->owningGraph()->insert(c10::aten::cos, {node->input()});
        node->output()->replaceAllUsesWith(wrong);
      }
    }
  }
  torch::jit::GraphPassNameType id_;
};

/// While it lives, TorchScript's gradient of an unsqueeze, which is a squeeze, has the wrong sign.
class PlantedGradientOfAView {
 public:
  PlantedGradientOfAView() {
    torch::jit::registerPrePass([](std::shared_ptr<torch::jit::Graph>& graph) { plant(graph->block()); });
  }
  ~PlantedGradientOfAView() { torch::jit::clearAllPrePasses(); }

 private:
  static void plant(torch::jit::Block* block) {
    for (torch::jit::Node* node : block->nodes()) {
      for (torch::jit::Block* inner : node->blocks()) {
        plant(inner);
      }
      if (node->kind() == c10::aten::squeeze) {
        const torch::jit::WithInsertPoint behind(node->next());
        torch::jit::Value* wrong = block->owningGraph()->insert(c10::aten::neg, {node->output()});
        node->output()->replaceAllUsesAfterNodeWith(wrong->node(), wrong);
      }
    }
  }
};

} // namespace

TEST_F(KnownCauseTest, EachKnownDefectHasACaseThatGoesBackToIt) {
  std::set<std::string_view> names;
  for (const compilers::KnownDefect& defect : compilers::knownDefects()) {
    names.insert(defect.name);
  }
  for (const std::string_view name : names) {
    const fs::path file = kKnown / (std::string(name) + ".py");
    ASSERT_TRUE(fs::exists(file)) << file;
    worker::BackendResult result = judgeKnown(textOf(file));
    // TorchScript orders some nodes by where they lie in memory: what changes with that looks avoided with anything.
    for (int again = 0; result.detail != name && again < 2; ++again) {
      result = judgeKnown(textOf(file));
    }
    EXPECT_EQ(result.outcome, language::Outcome::kKnown) << file << ": " << result.text << " " << result.message;
    EXPECT_EQ(result.detail, name) << file;
  }
}

TEST_F(KnownCauseTest, EachFileOfTheFolderIsKnown) {
  for (const fs::directory_entry& entry : fs::directory_iterator(kKnown)) {
    EXPECT_EQ(judgeKnown(textOf(entry.path())).outcome, language::Outcome::kKnown) << entry.path();
  }
}

// Making addmm a stand-in leaves clamp alone, and TorchScript differentiates nothing: the NaN is gone. It is clamp's.
TEST_F(KnownCauseTest, ADefectLeadsToItsCase) {
  for (const compilers::KnownDefect& defect : compilers::knownDefects()) {
    const std::vector<std::string> files = worker::filesOfDefects(std::string(defect.name));
    ASSERT_EQ(files.size(), 1U) << defect.name;
    EXPECT_TRUE(fs::exists(fs::path(TOUCHSTONE_SOURCE_DIR) / files[0])) << files[0];
  }
  EXPECT_EQ(worker::whereDefectsAre("transposed_twice and detach_is_left_out"),
            ": see corpus/known/transposed_twice.py, corpus/known/detach_is_left_out.py and docs/torchscript.md");
  EXPECT_EQ(worker::whereDefectsAre("an_entry_of_a_file"), "");
}

TEST_F(KnownCauseTest, AFormulaIsNotBlamedForAnotherOnes) {
  const std::string both = gradientCase(
      "    z = torch.addmm(x, y, y).clamp(min=0)\n    return torch.einsum(\"ij,ij->i\", z, z)\n", "special");
  EXPECT_EQ(judgeText(both, "ts").detail, "gradient_times_a_mask");
  // So would be a draw's.
  const std::string draw = gradientCase("    return torch.min(x, x) * torch.rand_like(x)\n");
  EXPECT_EQ(judgeText(draw, "ts").detail, "gradient_of_a_maximum_of_equals");
  const std::string complexAndTie =
      gradientCase("    return torch.min(x, x) * 1.5 + torch.nn.functional.hardtanh(y, 9, 10)\n");
  EXPECT_EQ(judgeText(complexAndTie, "ts").detail, "gradient_of_a_maximum_of_equals");
}

TEST_F(KnownCauseTest, SeveralKnownDefectsInOneCase) {
  const worker::BackendResult result =
      judgeText(gradientCase("    torch.rand_like(x)\n    return torch.min(x, x) * 1.5, torch.rand_like(x)\n"), "ts");
  EXPECT_EQ(result.outcome, language::Outcome::kKnown) << result.text;
  EXPECT_EQ(result.detail, "unread_draw_is_left_out and gradient_of_a_maximum_of_equals");
}

// Eager's deviation gives 0, and eager's clamp would leave out the NaN that TorchScript's gives.
TEST_F(KnownCauseTest, TwoFormulasOfWhichNeitherShowsItAlone) {
  const std::string both = "    return torch.std((x + 9).clamp(max=1).unsqueeze(2), 2, correction=0)\n";
  EXPECT_EQ(judgeText(gradientCase(both), "ts").detail,
            "gradient_of_a_deviation_of_one_element and gradient_times_a_mask");
}

TEST_F(KnownCauseTest, WhatIsLookedAtOfAResultBehindABreakGoesBackToWhatIsDifferentiatedTogether) {
  for (const char* file : {"gradient_across_a_break.py", "hook_on_a_part_of_the_gradient.py"}) {
    EXPECT_EQ(judgeText(textOf(kKnown.parent_path() / "found" / file), "ts").detail, "part_of_the_gradient_of_a_result")
        << file;
  }
}

TEST_F(KnownCauseTest, SymptomsOfOneDefect) {
  const std::string noGradientToABound = "    return torch.clamp(torch.ones(2, 2, dtype=torch.int64), y.mean())\n";
  EXPECT_EQ(judgeText(gradientCase(noGradientToABound), "ts").detail, "gradient_of_a_clamp_by_a_tensor");
  for (const char* body :
       {"    return torch.relu(1 - (x + float(\"nan\")))\n", "    return torch.relu(1 - (x + float(\"nan\"))) + x\n",
        "    return torch.nn.functional.hardswish(x + float(\"nan\"))\n"}) {
    EXPECT_EQ(judgeText(gradientCase(body), "ts").detail, "gradient_where_a_value_is_nan") << body;
  }
  const std::string raisedWhereTheProgramAsks =
      "    z = torch.complex(x, y).sin().abs()\n    return x * 2, torch.autograd.grad(z.sum(), [y], "
      "retain_graph=True)\n";
  EXPECT_EQ(judgeText(gradientCase(raisedWhereTheProgramAsks), "ts").detail, "gradient_of_complex_numbers");
  EXPECT_EQ(judgeText(gradientCase("    return x + True\n"), "aot_ts").detail, "bool_of_one_element_is_a_number");
  const std::string otherElements = "    return torch.as_strided(torch.addmm(x.t(), x, y), (1, 2), (2, 1))\n";
  EXPECT_EQ(judgeText(gradientCase(otherElements), "ts").detail, "addmm_in_two_steps");
  const std::string drawnIntoOtherStrides =
      "    z = torch.autograd.grad((x.t() @ x).sum(), [x], retain_graph=True)[0]\n    z.cauchy_()\n    return x * 2, "
      "z\n";
  EXPECT_EQ(judgeText(gradientCase(drawnIntoOtherStrides), "ts").detail, "gradient_of_a_product_has_other_strides");
  const std::string signOfAZero = "    z = x.abs() * -0.0\n    return torch.addmm(z, z, y.abs())\n";
  const at::Tensor minusZero = at::full({2, 2}, -0.0), ones = at::ones({2, 2}); // processors differ in their kernels
  const at::Tensor atOnce = at::addmm(minusZero, minusZero, ones), inTwoSteps = minusZero + at::mm(minusZero, ones);
  EXPECT_EQ(judgeText(gradientCase(signOfAZero), "ts").detail,
            atOnce.signbit().equal(inTwoSteps.signbit()) ? "" : "addmm_in_two_steps");
  std::string outOfAValueBeside = gradientCase(
      "    v = x.abs()\n    z = torch.std(y + 1, 1, correction=0)[0]\n    torch.maximum(z, z, out=z)\n    return v, "
      "z\n");
  const std::string requiresGrad = ".requires_grad_()";
  outOfAValueBeside.erase(outOfAValueBeside.rfind(requiresGrad), requiresGrad.size());
  std::string intoAnArgument =
      gradientCase("    v = x.add(x)\n    z = torch.relu(torch.mm(y, y))\n    y.copy_(z)\n    return (v,)\n");
  intoAnArgument.erase(intoAnArgument.rfind(requiresGrad), requiresGrad.size());
  EXPECT_EQ(judgeText(intoAnArgument, "ts").detail, "result_beside_one_that_requires_grad");
  EXPECT_EQ(judgeText(outOfAValueBeside, "ts").detail, "result_beside_one_that_requires_grad");
}

TEST_F(KnownCauseTest, FurtherSymptomsOfOneDefect) {
  const std::pair<const char*, const char*> bodies[] = {
      {"    z = x % 0\n    return z, (x // 0 + z).max(0)[1]\n", "gradient_that_becomes_zero"},
      {"    return torch.clamp(x.mean(), y.detach())\n", "gradient_before_a_clamp_by_a_tensor"},
      {"    return (torch.autograd.grad((torch.nn.functional.linear(y, y[0]) + x[0]).sum(), [x]),)\n",
       "linear_with_a_vector_as_weight"},
      {"    return x.t().t()\n", "transposed_twice"},
      {"    return torch.nn.functional.linear(y, x[:0]) * 1.5\n", "gradient_of_a_linear_map_of_nothing"},
      {"    z = torch.nn.functional.batch_norm(x, None, None, training=True)\n"
       "    return (torch.autograd.grad(z.softmax(0, dtype=torch.float64).mean(), [x]),)\n",
       "gradient_of_another_dtype"},
      {"    z = torch.addmm(x.detach().t(), x.detach(), x.detach().t())\n    return z[0, 0], z.reshape(-1)\n",
       "addmm_in_two_steps"}, // in other strides, so that what is reshaped is a copy
      {"    z = y.tanh()\n    w = x - y.tanh()\n    with torch.autocast(\"cpu\"):\n        w = w + 0\n    z.zero_()\n"
       "    return w\n",
       "equal_values_become_one"},
      {"    z = x.sum(0)\n    w = torch.cat([z.split(1)[1]]) * y[0, 0]\n    z.add_(1)\n    return w\n",
       "formula_saves_what_is_written"},
      // The gradient raises, so the write behind it is not made; eager makes it, and raises then.
      {"    z = torch.addmm(x, x, y)\n    w = torch.nn.functional.softplus(z)\n    w.mul_(0)\n"
       "    torch.autograd.grad(z.sum(), [y])\n    with torch.no_grad():\n        x.mul_(0)\n"
       "    return torch.stack((0, w))\n",
       "formula_saves_what_is_written"},
      {"    return torch.rsqrt(x.double() * 0 + 1e-250) * 0\n", "gradient_of_a_reciprocal"},
      {"    z = x[:1, :0]\n    w = z.detach().mean()\n    return z - w + torch.nn.functional.batch_norm(z, w, z)\n",
       "gradient_before_a_batch_norm_of_nothing"},
  };
  for (const auto& [body, name] : bodies) {
    const worker::BackendResult result = judgeText(gradientCase(body), "ts");
    EXPECT_EQ(result.detail, name) << body << result.text << " " << result.message;
  }
  std::string hooked = gradientCase("    z = x[..., :1]\n    z.t().t().register_hook(negated)\n    return z.t()\n");
  hooked.insert(hooked.find("def program"), "def negated(g):\n    return -g\n\n\n");
  EXPECT_EQ(judgeText(hooked, "ts").detail, "transposed_twice");
}

// Stand-ins of draws, of calls that are equal and of what reads a list keep TorchScript from making the write a result.
TEST_F(KnownCauseTest, AWriteBecomesAResultBesideWhatKeepsOthersFromBeingMoved) {
  for (const char* body :
       {"    return x.clone().logical_and_(x.clone())\n",
        "    y = x + x\n    y.lt_(x.sum())\n    return y - y, x.sum()\n",
        "    y = x + x\n    y.lt_(torch.rand_like(x))\n    return y\n",
        "    y = x.abs()\n    y.logical_not_()\n    return torch.view_as_complex(torch.stack([y]))\n",
        "    y = torch.ones_like(x[::2])\n    y.addcmul_(x[::2], x[::2])\n    return y\n"}) {
    const worker::BackendResult result = judgeText(inferenceCase(body), "ts_compile");
    EXPECT_EQ(result.detail, "write_becomes_a_result") << body << result.text << " " << result.message;
    const PlantedDefect planted;
    std::string beside = body;
    beside.insert(0, "    z = x.sin()\n");
    beside.insert(beside.find("return ") + 7, "z, ");
    EXPECT_TRUE(language::isFinding(judgeText(inferenceCase(beside), "ts_compile").outcome)) << beside;
  }
}

// The backward for the first result alone is compiled when it is asked for, on a thread of its own.
TEST_F(KnownCauseTest, WhatIsCompiledLater) {
  const std::string body = "    return torch.maximum(x * torch.tensor(False), y), x + torch.tensor(True)\n";
  EXPECT_EQ(judgeText(gradientCase(body), "memory_efficient_fusion").detail, "bool_of_one_element_is_a_number");
}

TEST_F(KnownCauseTest, ConstantsOfOneValueMakeCallsEqual) {
  const std::string text = inferenceCase("    return x * 3 + x, x * 3, x * 3\n");
  const worker::BackendResult result = judgeText(text, "simple_ts_compile");
  EXPECT_EQ(result.detail, "equal_values_become_one") << result.text << " " << result.message;
}

TEST_F(KnownCauseTest, ZerosOfOneSignAreOperandsConstantsAndFillValues) {
  for (const char* body :
       {"    return torch.nn.functional.pad(x, (0, 0)) * -0.0\n",
        "    return x - x + torch.tensor([0.0]), x - x - torch.tensor([-0.0]), x / torch.tensor([-0.0])\n",
        "    z = x.half()\n    return z / 0.0, z / -0.0\n"}) {
    const worker::BackendResult result = judgeText(gradientCase(body), "aot_ts");
    EXPECT_EQ(result.detail, "zeros_of_both_signs") << body << result.text << " " << result.message;
  }
}

// Where TorchScript is left one operator, what others do wrong does not hide its symptom.
TEST_F(KnownCauseTest, WhatIsNotLeftToTorchScriptGoesWrongInNoWay) {
  const std::string behindAList =
      "    z = torch.ones(())\n    torch._foreach_mul_([z], 0)\n"
      "    return x * 2, z, torch.autograd.grad(torch.std(y * 0 + 1), [y])\n";
  EXPECT_EQ(judgeText(gradientCase(behindAList), "ts").detail,
            "write_to_a_list_is_left_out and gradient_of_a_deviation_of_one_element");
  const std::string besideAList =
      "    z = torch.ones(2)\n    torch._foreach_mul_([z], 0)\n    a = y * 1.5\n"
      "    return x * 2, z, (torch.autograd.grad((torch.nn.functional.linear(a, a[0]) * 1.5 + x[0]).sum(), [x]),)\n";
  EXPECT_EQ(judgeText(gradientCase(besideAList), "ts").detail,
            "write_to_a_list_is_left_out and linear_with_a_vector_as_weight");
  const std::string behindAConstant =
      "    z = torch.ones((1,))\n    with torch.no_grad():\n        s = torch.sign(z)\n    z.negative_()\n    return torch.min(x, x) * 1.5, s\n";
  EXPECT_EQ(judgeText(gradientCase(behindAConstant), "ts").detail,
            "constant_that_is_returned_is_shared and gradient_of_a_maximum_of_equals");
}

TEST_F(KnownCauseTest, ANeighbourOfAKnownDefectIsAFinding) {
  const std::string bodies[] = {
      "    z = y.sin()\n    return z * 2, z\n", // a result that is read
      "    z = y.sin()\n    return z * 2, torch.autograd.grad((z * 2).sum(), [z])\n",
      "    z = y.sin()\n    return torch.clamp(z, min=x.detach()[:, :1]) + z\n", // in front of a clamp by a tensor
      "    z = torch.std((x + 9).clamp(max=1).unsqueeze(2), 2, correction=0)\n    return z + y.sin() * 2\n",
      "    return torch.addmm(y.sin(), x, x)\n", // together with what is replaced
      "    return torch.mm(y.sin(), x.t())\n",
      "    return torch.nn.functional.batch_norm(y.sin(), None, None, training=True)\n",
      "    return torch.min(x, x) * y.sin() * 2\n", // beside a wrong formula
      "    return torch.var(x * y.sin(), 0)\n",
      "    z = x * y.sin()\n    return z * z + z\n", // beside a value that is read three times
      "    return y.cos() * 2 + y.cos() * 3\n", // values that are equal; the formula asks for a sine
      "    torch.rand_like(x)\n    return torch.rand_like(x) + y.sin() * 2\n", // beside a draw
      "    a = x.clone()\n    b = x.clone()\n    c = x.clone()\n    return c, torch.stack([a, a]), b, y.sin() * 2\n",
      "    return torch.addmm(x.t(), x, x.t()) + y.sin() * 2\n",
  };
  for (const std::string& body : bodies) {
    const PlantedDefect planted;
    const worker::BackendResult result = judgeText(gradientCase(body), "ts");
    EXPECT_TRUE(language::isFinding(result.outcome)) << body << result.text << " " << result.detail;
  }
}

// A write elsewhere is what cuts a result off; without one its gradient is wrong for another reason.
TEST_F(KnownCauseTest, AGradientOfAResultThatNothingWritesToIsAFinding) {
  const PlantedGradientOfAView planted;
  const worker::BackendResult result = judgeText(gradientCase("    return (x * y).unsqueeze(0)\n"), "ts");
  EXPECT_TRUE(language::isFinding(result.outcome)) << result.text << " " << result.detail;
  EXPECT_TRUE(result.text.starts_with("Differs/gradient_values")) << result.text;
}

TEST_F(KnownCauseTest, OtherBackendsHaveNoKnownDefects) {
  const std::string text = textOf(kKnown / "gradient_of_a_maximum_of_equals.py");
  EXPECT_EQ(judgeText(text, "aot_eager").outcome, language::Outcome::kAgreed);
  EXPECT_TRUE(language::isFinding(
      judgeText(gradientCase("    return x.relu() * y\n"), "relu_accuracy_error_TESTING_ONLY").outcome));
}

} // namespace touchstone::tests
