#include "backends/fake/Tracer.h"

#include "tests/backends/AotPrograms.h"
#include "tests/backends/CallOutcome.h"
#include "tests/backends/WholeCapture.h"

#include "backends/fake/DeviceChoices.h"
#include "backends/native/DeviceTrace.h"
#include "generators/catalogue/Recipe.h"
#include "generators/decoder/Decoder.h"
#include "graph/ir/GraphComparison.h"
#include "graph/ir/StageArtifacts.h"
#include "graph/ir/Stages.h"
#include "program/language/CasePrinter.h"
#include "program/parser/CaseParser.h"
#include "program/values/CompiledProgram.h"

#include <ATen/core/grad_mode.h>
#include <c10/core/InferenceMode.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <regex>
#include <set>
#include <sstream>

// Tracing without values must give what tracing with values gives: the same Graphs, the same plan, the same errors.

namespace touchstone::tests {
namespace {

/// What all stages of a compile have left, as text; the error where there is one.
struct CompiledTexts {
  std::vector<std::pair<std::string, std::string>> stages;
  std::optional<ir::Graph> joint;
  std::string error;
  bool isUnsupported = false;
};

struct TextsHook final : backends::PipelineObserver {
  explicit TextsHook(CompiledTexts& texts) : texts_(texts) {}
  void afterStage(const std::string& stage, ir::StageArtifacts& artifacts) override {
    if (const ir::Graph* graph = artifacts.graph(stage)) {
      if (stage == ir::kJointStage) {
        texts_.joint = *graph;
      }
      texts_.stages.emplace_back(stage, ir::printGraph(*graph, stage) + detailsOf(*graph));
    } else if (const std::string* text = artifacts.text(stage)) {
      texts_.stages.emplace_back(stage, *text);
    }
  }

 private:
  /// What the printed Graph does not show.
  static std::string detailsOf(const ir::Graph& graph) {
    std::ostringstream text;
    for (const ir::Node& node : graph.nodes()) {
      text << node.name << ": line " << node.line << (node.backward ? ", backward" : "");
      if (node.metadata) {
        text << ", strides";
        for (int64_t stride : node.metadata->strides) {
          text << " " << stride;
        }
        text << ", offset " << node.metadata->offset << ", storage " << node.metadata->storage
             << (node.metadata->conjugate ? ", conjugate" : "") << (node.metadata->negative ? ", negative" : "");
      }
      text << ", writes";
      for (ir::NodeId written : node.writes) {
        text << " " << written;
      }
      text << "\n";
    }
    for (const ir::TracedStorage& storage : graph.storages) {
      text << "storage: " << storage.bytes << " bytes, root " << storage.root << ", input " << storage.input << "\n";
    }
    return text.str();
  }

  CompiledTexts& texts_;
};

CompiledTexts compileTexts(const language::Case& theCase, const language::CallSpec& call, fake::Backing backing,
                           std::optional<c10::Device> claimed = std::nullopt) {
  CompiledTexts texts;
  const at::AutoGradMode outside(true); // programs may leave it switched
  std::optional<c10::InferenceMode> inference;
  try {
    const evaluator::InputSet made =
        evaluator::Evaluator(theCase).makeInputs(call.inputs.value(), call.seed, call.kind);
    const at::AutoGradMode grad(call.gradMode == language::GradMode::kEnable);
    if (call.gradMode == language::GradMode::kInference) {
      inference.emplace();
    }
    aot_autograd::AotOptions options;
    options.backing = backing;
    options.claimed = claimed;
    options.observers = {std::make_shared<TextsHook>(texts)};
    const WholeFrame frame(theCase, made.arguments, options);
  } catch (const ir::Unsupported& reason) {
    texts.error = reason.what();
    texts.isUnsupported = true;
  } catch (...) {
    texts.error = firstLine(std::current_exception());
  }
  return texts;
}

std::string firstDifference(const std::string& left, const std::string& right) {
  std::istringstream a(left), b(right);
  std::string x, y;
  while (true) {
    const bool more = static_cast<bool>(std::getline(a, x)), other = static_cast<bool>(std::getline(b, y));
    if (!more && !other) {
      return "";
    }
    if (more != other || x != y) {
      return "with values:    " + (more ? x : std::string("(end)")) +
             "\nwithout values: " + (other ? y : std::string("(end)"));
    }
  }
}

/// What tracing the backwards raises: a compile leaves that to the backward itself.
std::string backwardErrors(const language::Case& theCase, const language::CallSpec& call, fake::Backing backing) {
  const at::AutoGradMode grad(true);
  const evaluator::InputSet made = evaluator::Evaluator(theCase).makeInputs(call.inputs.value(), call.seed, call.kind);
  WholeTrace whole(theCase, made.arguments, backing);
  aot_autograd::JointTrace& trace = whole.trace;
  std::string errors;
  for (size_t node = 0; node < trace.plan().nodes.size(); ++node) {
    aot_autograd::TangentLayouts layouts(trace.plan().roots.size());
    for (size_t root : trace.plan().nodes[node].roots) {
      layouts[root] = trace.plan().tangents[root];
    }
    try {
      trace.recordBackward(node, layouts);
    } catch (...) {
      errors += "backward " + std::to_string(node) + ": " + firstLine(std::current_exception()) + "\n";
    }
  }
  return errors;
}

constexpr const char* kOtherLayouts[] = {"binary_cross_entropy(", "multinomial(", "channel_shuffle(",
                                         "functional.unfold("};

struct Comparison {
  int compared = 0, dependsOnData = 0, refused = 0, knownDefects = 0;
  std::set<std::string> withoutKernel; // operators that have none for sizes alone
  std::vector<std::string> differences;
};

/// libtorch has no kernel for sizes alone, as Python's registrations of PyTorch would add one.
bool isKnownDefect(const std::string& difference) {
  return difference.find("attempted to run this operator with Meta tensors") != std::string::npos ||
         difference.find("from the 'SparseMeta' backend") != std::string::npos;
}

/// The operator that a difference of isKnownDefect() names.
std::string operatorNamed(const std::string& difference) {
  static const std::regex kName("(\\w+::\\w+)[^:]*: attempted to run this operator with Meta");
  std::smatch match;
  return std::regex_search(difference, match, kName) ? match[1].str() : "of a sparse gradient";
}

/// Kernels for sizes alone that lay memory out otherwise than those for values, or refuse what they have not looked at.
bool usesOtherLayouts(const language::Case& theCase) {
  const std::string text = language::printDefinitions(theCase);
  return std::any_of(std::begin(kOtherLayouts), std::end(kOtherLayouts),
                     [&](const char* name) { return text.find(name) != std::string::npos; });
}

/// Compares the first call of a Case; `name` for the message.
void compareCase(const language::Case& theCase, const std::string& name, Comparison& result) {
  if (theCase.calls.empty() || !theCase.calls[0].inputs) {
    return;
  }
  if (usesOtherLayouts(theCase)) {
    ++result.refused;
    return;
  }
  const CompiledTexts with = compileTexts(theCase, theCase.calls[0], fake::Backing::kValues);
  if (with.isUnsupported) {
    ++(with.error.find("control flow") != std::string::npos ? result.dependsOnData : result.refused);
    return;
  }
  const CompiledTexts without = compileTexts(theCase, theCase.calls[0], fake::Backing::kMeta);
  if (with.error.find("not implemented for '") != std::string::npos ||
      with.error.find("can't be cast to the desired output type") != std::string::npos) {
    ++result.refused; // by a kernel that looks at more than sizes
    return;
  }
  ++result.compared;
  std::string difference;
  if (with.error != without.error) {
    difference = "with values:    " + with.error + "\nwithout values: " + without.error;
  } else if (with.stages.size() != without.stages.size()) {
    difference = "with values " + std::to_string(with.stages.size()) + " stages, without " +
                 std::to_string(without.stages.size()) + "\n" +
                 backwardErrors(theCase, theCase.calls[0], fake::Backing::kMeta);
  }
  for (size_t i = 0; difference.empty() && i < with.stages.size(); ++i) {
    const std::string text = firstDifference(with.stages[i].second, without.stages[i].second);
    difference = text.empty() ? "" : "stage " + with.stages[i].first + "\n" + text;
  }
  if (isKnownDefect(difference)) {
    ++result.knownDefects;
    result.withoutKernel.insert(operatorNamed(difference));
  } else if (!difference.empty()) {
    result.differences.push_back(name + "\n" + difference);
  }
}

std::string joined(const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& text : texts) {
    all += text + "\n\n";
  }
  return all;
}

TEST(ValueFreeTracingTest, CorpusCasesGiveTheSameGraphs) {
  Comparison result;
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(TOUCHSTONE_SOURCE_DIR "/corpus")) {
    if (entry.path().extension() == ".py") {
      files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  for (const std::filesystem::path& file : files) {
    compareCase(parser::readCase(file.string()), file.filename().string(), result);
  }
  EXPECT_GE(result.compared, 120);
  EXPECT_LE(6 * (result.dependsOnData + result.refused), result.compared); // those break their graphs
  EXPECT_EQ(result.withoutKernel, (std::set<std::string>{"aten::std", "of a sparse gradient"}));
  EXPECT_TRUE(result.differences.empty()) << result.differences.size() << " differ\n" << joined(result.differences);
}

/// A fake that says `empty_like` gives dimensions of size one other strides than the body does, which are the operator's own
/// affair.
bool hasFakeWithoutStrides(const language::Case& theCase) {
  return std::ranges::any_of(theCase.customOperators, [](const language::CustomOperator& made) {
    return made.fake && language::printFunction(*made.fake).find("empty_like") != std::string::npos;
  });
}

/// What comes out of a loop is a row of what all steps made: its offset tells how many there were.
bool hasLoop(const language::Case& theCase) {
  return language::printDefinitions(theCase).find("while_loop(") != std::string::npos;
}

TEST(ValueFreeTracingTest, GeneratedCasesGiveTheSameGraphs) {
  Comparison result;
  int leftOut = 0;
  for (uint64_t index = 0; index < 2400; ++index) {
    decoder::DecodeOptions options;
    options.features = catalogue::featuresOf(3, index);
    const language::Case theCase = decoder::decode(catalogue::makeRecipe(3, index, options.features), options);
    if (hasFakeWithoutStrides(theCase) || hasLoop(theCase)) {
      ++leftOut;
      continue;
    }
    compareCase(theCase, "index " + std::to_string(index), result);
  }
  EXPECT_LT(10 * leftOut, result.compared);
  EXPECT_GE(result.compared, 2000);
  EXPECT_EQ(result.withoutKernel, std::set<std::string>{"aten::abs"}); // of complex numbers
  EXPECT_TRUE(result.differences.empty()) << result.differences.size() << " differ\n" << joined(result.differences);
}

TEST(ValueFreeTracingTest, WritingProgramsGiveTheSameGraphs) {
  Comparison result;
  for (const AotProgram& program : writingPrograms()) {
    compareCase(caseOfProgram(program), program.name, result);
  }
  EXPECT_EQ(result.compared, static_cast<int>(writingPrograms().size()));
  EXPECT_LE(result.knownDefects, 1);
  EXPECT_TRUE(result.differences.empty()) << result.differences.size() << " differ\n" << joined(result.differences);
}

TEST(ValueFreeTracingTest, WritesOfOperatorsWithoutAMetaKernel) {
  for (const char* body : {"m = x > 0\nm.logical_not_()\nreturn m", "return torch.clamp(x, -1, 1)"}) {
    const language::Case theCase = caseOfProgram({"", "F(4).requires_grad_()", "x", body});
    const CompiledTexts texts = compileTexts(theCase, theCase.calls[0], fake::Backing::kMeta);
    EXPECT_EQ(texts.error, "") << body;
    EXPECT_EQ(backwardErrors(theCase, theCase.calls[0], fake::Backing::kMeta), "") << body;
  }
}

TEST(ValueFreeTracingTest, SparseGradients) {
  const language::Case theCase = caseOfProgram(
      {"", "F(5, 2).requires_grad_()", "w", "return torch.nn.functional.embedding(torch.arange(3), w, sparse=True)"});
  const at::AutoGradMode grad(true);
  for (const fake::Backing backing : {fake::Backing::kValues, fake::Backing::kMeta}) {
    EXPECT_EQ(backwardErrors(theCase, theCase.calls[0], backing), "");
    const WholeTrace whole(theCase, evaluator::Evaluator(theCase).makeInputs("inputs", 1, "grid").arguments, backing);
    EXPECT_EQ(whole.trace.plan().nodes.size(), 1u);
  }
  Comparison result;
  compareCase(theCase, "sparse", result);
  EXPECT_EQ(result.compared, 1);
  EXPECT_TRUE(result.differences.empty()) << joined(result.differences);
  EXPECT_EQ(result.knownDefects, 0);
}

/// Nodes that are on another device than this.
struct DevicesHook final : backends::PipelineObserver {
  explicit DevicesHook(std::string device) : device_(std::move(device)) {}
  void afterStage(const std::string& stage, ir::StageArtifacts& artifacts) override {
    if (const ir::Graph* graph = artifacts.graph(stage)) {
      for (const ir::Node& node : graph->nodes()) {
        if (node.metadata && node.metadata->device != device_) {
          wrong.push_back(stage + ": " + node.name + " is on `" + node.metadata->device + "`");
        }
      }
    }
  }
  std::vector<std::string> wrong;

 private:
  std::string device_;
};

TEST(ValueFreeTracingTest, NodesAreOnTheDevicesThatTheProgramSees) {
  const language::Case theCase = caseOfProgram(
      {"", "F(4, 6).requires_grad_()", "x", "z = x * 1\nz[1].mul_(2)\nz.add_(1)\nreturn z.exp(), torch.zeros(2)"});
  for (const fake::Backing backing : {fake::Backing::kValues, fake::Backing::kMeta}) {
    auto hook = std::make_shared<DevicesHook>("cpu");
    aot_autograd::AotOptions options;
    options.backing = backing;
    options.observers = {hook};
    const WholeFrame frame(theCase, evaluator::Evaluator(theCase).makeInputs("inputs", 1, "grid").arguments, options);
    EXPECT_TRUE(hook->wrong.empty()) << joined(hook->wrong);
  }
}

/// What a compile for a claimed device has left, with the device taken for the processor.
std::string onTheProcessor(const std::string& text) {
  return std::regex_replace(std::regex_replace(text, std::regex("  # on cuda:0|; on cuda:0"), ""), std::regex("cuda:0"),
                            "cpu");
}

/// What two joint Graphs, the CPU's and a device's, differ in without a known choice of the device.
std::string unexplained(const ir::Graph& here, const ir::Graph& there) {
  const ir::GraphDifference difference = ir::compareButForDevices(here, there);
  for (const ir::GraphDifference::Replacement& replacement : difference.replacements) {
    if (fake::choiceShownBy(replacement) == nullptr) {
      return "operators " + (replacement.left.empty() ? "(none)" : replacement.left[0]) + " and " +
             (replacement.right.empty() ? "(none)" : replacement.right[0]);
    }
  }
  for (const ir::GraphDifference::Detail& detail : difference.details) {
    if (fake::choiceShownBy(detail) == nullptr) {
      return detail.text;
    }
  }
  return "";
}

/// The same call captured and traced as though all arguments were on the device.
CompiledTexts compileTextsOn(const language::Case& theCase, const language::CallSpec& call, c10::Device device) {
  CompiledTexts texts;
  const at::AutoGradMode grad(call.gradMode == language::GradMode::kEnable);
  std::optional<c10::InferenceMode> inference;
  try {
    const evaluator::InputSet made =
        evaluator::Evaluator(theCase).makeInputs(call.inputs.value(), call.seed, call.kind);
    if (call.gradMode == language::GradMode::kInference) {
      inference.emplace();
    }
    native::traceOnDevice(theCase, made.arguments, "aot_eager_default_partitioner", device,
                          {std::make_shared<TextsHook>(texts)});
  } catch (...) {
    texts.error = firstLine(std::current_exception());
  }
  return texts;
}

/// What differs on a device though no table of choices has it, as unexplained() begins: a sum of a renorm is double on the
/// CPU alone, a log-sigmoid saves a buffer there, and attention has a kernel of its own; a libtorch without CUDA has no
/// kernels of CUDA for two formulas, which are then those of all other devices.
constexpr const char* kOfADevice[] = {"operators aten::_to_copy and (none)", "log_sigmoid_forward_element_1",
                                      "operators aten::_scaled_dot_product_flash_attention_for_cpu",
                                      "operators aten::silu_backward and aten::sigmoid",
                                      "operators aten::mish_backward and aten::softplus",
                                      // A kernel of the device's, which has no rule for tensors without values.
                                      "NotImplementedError: Could not run 'aten::_thnn_fused_gru_cell'"};

// The tensors that a Program makes itself are the processor's, and few operators take them beside the device's.
TEST(ValueFreeTracingTest, GeneratedCasesGiveTheSameGraphsForADeviceThatIsNotThere) {
  const c10::Device cuda("cuda:0");
  int compiled = 0, mixed = 0, broken = 0, ofADevice = 0, onDevice = 0;
  std::vector<std::string> differences;
  for (uint64_t index = 0; index < 400; ++index) {
    decoder::DecodeOptions options;
    options.features = catalogue::featuresOf(5, index);
    const language::Case theCase = decoder::decode(catalogue::makeRecipe(5, index, options.features), options);
    if (theCase.calls.empty() || !theCase.calls[0].inputs) {
      continue;
    }
    const CompiledTexts here = compileTextsOn(theCase, theCase.calls[0], c10::Device("cpu"));
    if (!here.error.empty() || language::printDefinitions(theCase).find("autocast") != std::string::npos) {
      continue;
    }
    const CompiledTexts claimed = compileTextsOn(theCase, theCase.calls[0], cuda);
    ++compiled;
    if (claimed.error.find("on the same device") != std::string::npos ||
        claimed.error.find("to have same metadata") != std::string::npos || // a counter is the processor's
        claimed.error.find("a gradient inside the program runs on autograd's engine") != std::string::npos) {
      ++mixed;
      continue;
    }
    const std::string difference =
        !claimed.error.empty() ? claimed.error : unexplained(here.joint.value(), claimed.joint.value());
    if (difference.find("the graph breaks at line ") != std::string::npos ||
        difference.find("as a value goes on behind a graph break") != std::string::npos) {
      ++broken;
      continue;
    }
    const auto isThere = [](const ir::Node& node) { return node.metadata && node.metadata->device == "cuda:0"; };
    onDevice += claimed.joint && std::any_of(claimed.joint->nodes().begin(), claimed.joint->nodes().end(), isThere);
    const bool isKnown = std::any_of(std::begin(kOfADevice), std::end(kOfADevice),
                                     [&](const char* known) { return difference.starts_with(known); });
    ofADevice += isKnown ? 1 : 0;
    if (!difference.empty() && !isKnown) {
      differences.push_back("index " + std::to_string(index) + ": " + difference);
    }
  }
  EXPECT_GE(compiled - mixed, 150) << mixed << " of " << compiled << " mix devices, or need the device itself";
  EXPECT_GE(onDevice, 150);
  EXPECT_LE(25 * ofADevice, compiled - mixed);
  EXPECT_LE(10 * broken, compiled - mixed) << "break for the device alone";
  EXPECT_TRUE(differences.empty()) << differences.size() << " of " << compiled - mixed << " differ\n"
                                   << joined(differences);
}

TEST(ValueFreeTracingTest, ACompileForADeviceThatIsNotThere) {
  const c10::Device cuda("cuda:0");
  for (const char* body : {
           "return torch.nn.functional.linear(x, torch.ones_like(x)).relu().sum()",
           "z = x * 1\nz[1].mul_(2)\nz.t_()\nreturn z.exp(), z[0]",
           "with torch.no_grad():\n    x.mul_(2)\nreturn x.sin(), x.t()",
           "y = x.new_zeros(6)\ny.add_(x[0])\nreturn torch.softmax(x + y, 1), torch.cat((x, x)).view(-1)",
           "return torch.layer_norm(x, (6,)), x.cumsum(0), torch.where(x > 0, x, 0)",
           "return x[torch.tensor([0, 1])], x.to(torch.float64) * 2",
       }) {
    const language::Case theCase = caseOfProgram({"", "F(4, 6).requires_grad_()", "x", body});
    CompiledTexts claimed = compileTexts(theCase, theCase.calls[0], fake::Backing::kMeta, cuda);
    const CompiledTexts here = compileTexts(theCase, theCase.calls[0], fake::Backing::kMeta);
    EXPECT_EQ(claimed.error, "") << body;
    ASSERT_EQ(claimed.stages.size(), here.stages.size()) << body;
    for (size_t i = 0; i < here.stages.size(); ++i) {
      EXPECT_EQ(firstDifference(here.stages[i].second, onTheProcessor(claimed.stages[i].second)), "")
          << here.stages[i].first << " of\n"
          << body;
    }
  }
}

TEST(ValueFreeTracingTest, NodesAreOnTheClaimedDevice) {
  const language::Case theCase = caseOfProgram(
      {"", "F(4, 6).requires_grad_()", "x", "z = x * 1\nz[1].mul_(2)\nreturn z.exp(), torch.zeros_like(z)"});
  auto hook = std::make_shared<DevicesHook>("cuda:0");
  aot_autograd::AotOptions options;
  options.backing = fake::Backing::kMeta;
  options.claimed = c10::Device("cuda:0");
  options.observers = {hook};
  const values::ValueList arguments = evaluator::Evaluator(theCase).makeInputs("inputs", 1, "grid").arguments;
  const WholeFrame whole(theCase, arguments, options);
  const aot_autograd::CompiledAotGraph& frame = *whole.frame;
  EXPECT_TRUE(hook->wrong.empty()) << joined(hook->wrong);
  EXPECT_EQ(frame.plan().tangents.at(0).device, "cuda:0");
  options.backing = fake::Backing::kValues;
  EXPECT_THROW(WholeFrame(theCase, arguments, options), c10::Error) << "the values are not there";
}

TEST(ValueFreeTracingTest, DropoutIsTheDevicesOwn) {
  const language::Case theCase = caseOfProgram({"", "F(4, 6)", "x", "return torch.dropout(x, 0.5, True)"});
  const auto textFor = [&](std::optional<c10::Device> claimed) {
    return compileTexts(theCase, theCase.calls[0], fake::Backing::kMeta, claimed).stages.at(0).second;
  };
  EXPECT_NE(textFor(c10::Device("cuda:0")).find("native_dropout"), std::string::npos);
  EXPECT_EQ(textFor(std::nullopt).find("native_dropout"), std::string::npos);
}

TEST(ValueFreeTracingTest, TensorsOnTwoDevicesDoNotMix) {
  const auto errorOf = [](const char* body) {
    const language::Case theCase = caseOfProgram({"", "F(4, 6)", "x", body});
    return compileTexts(theCase, theCase.calls[0], fake::Backing::kMeta, c10::Device("cuda:0")).error;
  };
  EXPECT_EQ(
      errorOf("return x + torch.ones(6)"),
      "RuntimeError: Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!");
  EXPECT_EQ(errorOf("return x + torch.ones(())"), "");
  EXPECT_EQ(errorOf("y = torch.ones(4, 6)\ny.copy_(x)\nreturn y.sin()"), "");
}

} // namespace
} // namespace touchstone::tests
