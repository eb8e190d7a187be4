// Graphs that were written to files, as Cases: they give what the Graph gives.

#include "harness/commands/GraphCase.h"

#include "BinaryRun.h"
#include "backends/Registry.h"
#include "backends/fake/EffectfulOperators.h"
#include "backends/graph_files/GraphDumper.h"
#include "backends/native/NativeBackends.h"
#include "base/ExitStatus.h"
#include "generators/decoder/Decoder.h"
#include "graph/ir/Arguments.h"
#include "graph/ir/Unsupported.h"
#include "graph/runtime/Interpreter.h"
#include "harness/commands/PlainEffects.h"
#include "program/evaluator/Evaluator.h"
#include "program/language/CasePrinter.h"
#include "program/parser/CaseParser.h"
#include "program/standalone/CaseFile.h"
#include "program/values/CompiledProgram.h"

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/engine.h>
#include <torch/csrc/autograd/variable.h>
#include <torch/library.h>

#include <filesystem>
#include <map>
#include <string>

namespace touchstone::tests {
namespace {

/// Makes the Case's first call under `aot_eager`, and a backward from what it returns; what they raise does not count here.
void dumpFirstCall(const language::Case& theCase, const std::filesystem::path& parent) {
  const auto dumper = std::make_shared<graph_files::GraphDumper>(
      graph_files::GraphDumpOptions{parent, "graphs", "aot_eager", /*withValues=*/true});
  const language::CallSpec& call = theCase.calls.front();
  try {
    evaluator::InputSet inputs = evaluator::Evaluator(theCase).makeInputs(*call.inputs, call.seed, call.kind);
    const auto native = native::makeNativeBackend(backends::backendInfo("aot_eager"), {dumper});
    std::vector<at::Tensor> outputs;
    values::collectTensors((*native->compile(theCase))(inputs.arguments), outputs);
    torch::autograd::edge_list roots;
    torch::autograd::variable_list tangents;
    for (const at::Tensor& output : outputs) {
      if (output.defined() && output.grad_fn()) {
        roots.push_back(torch::autograd::impl::gradient_edge(output));
        tangents.push_back(at::ones_like(output.detach()));
      }
    }
    if (!roots.empty()) {
      torch::autograd::Engine::get_default_engine().execute(roots, tangents, false, false, true, {});
    }
  } catch (const std::exception&) { // see above
  }
}

/// What the Program of a Case makes of the first call's inputs.
graph_files::GraphObservation runProgram(const language::Case& theCase, const at::Tensor& generator, size_t inputs) {
  evaluator::Evaluator evaluator(theCase);
  const language::CallSpec& call = theCase.calls.front();
  const evaluator::InputSet made = evaluator.makeInputs("inputs", call.seed, call.kind);
  graph_files::GraphObservation seen;
  for (const values::Value& argument : made.arguments) {
    seen.inputsAfter.push_back(argument.isTensor() ? argument.tensor()
                                                   : at::scalar_tensor(argument.as<double>(), at::kDouble));
  }
  seen.inputsAfter.resize(inputs); // without the constants
  seen.inputs = graph_files::copiesOf(seen.inputsAfter);
  if (generator.defined()) {
    at::Generator(at::detail::getDefaultCPUGenerator()).set_state(generator);
  }
  const values::Value result = evaluator.call("program", made.arguments);
  const auto flat = [&](const values::Value& each) {
    seen.outputs.push_back(each.isTensor() ? each.tensor() : at::Tensor());
  };
  if (result.isTensor()) {
    flat(result);
  } else {
    std::ranges::for_each(*result.items(), flat);
  }
  return seen;
}

TORCH_LIBRARY(graph_case_test, library) {
  library.def("note(Tensor x) -> Tensor");
  library.def("split(Tensor x) -> (Tensor, Tensor)");
}
TORCH_LIBRARY_IMPL(graph_case_test, CPU, library) {
  library.impl("note", [](const at::Tensor& x) { return x.sin(); });
  library.impl("split", [](const at::Tensor& x) { return std::tuple(x.floor(), x - x.floor()); });
}

} // namespace

TEST(GraphCaseTest, GraphsOfRandomCasesAsCasesGiveWhatTheGraphsGive) {
  const TemporaryFolder folder("graph_case");
  std::map<std::string, int> refused;
  int graphs = 0, judged = 0;
  for (uint64_t index = 0; index < 150; ++index) {
    decoder::DecodeOptions options;
    options.features = catalogue::featuresOf(5, index);
    dumpFirstCall(decoder::decode(catalogue::makeRecipe(5, index, options.features), options),
                  folder.path() / std::to_string(index));
  }
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder.path())) {
    if (!std::filesystem::exists(entry.path() / "values.bin")) {
      continue;
    }
    const auto graphFolder = graph_files::GraphFolder::open(entry.path().parent_path());
    const std::string part = entry.path().filename().string();
    const graph_files::GraphObservation kept = graphFolder.observation(part).value();
    ++graphs;
    std::string text;
    try {
      const language::Case theCase = commands::caseOfGraphFolder(entry.path().string()).value().theCase;
      text = standalone::printCase(theCase, language::CaseForm::kShort);
      const graph_files::GraphObservation found = runProgram(theCase, kept.generator, kept.inputs.size());
      EXPECT_EQ(graph_files::differenceOf(found, kept), "") << entry.path() << "\n" << text;
      ++judged;
    } catch (const base::WrongUse& refusal) {
      const std::string what = refusal.what();
      const size_t begin = what.find("torch.ops"), end = what.find("` is", begin);
      ++refused[begin < what.size() ? what.substr(begin, end - begin) : what];
    } catch (const std::exception& error) {
      ADD_FAILURE() << error.what() << "\n" << text;
    }
  }
  for (const auto& [what, times] : refused) { // nothing else is
    EXPECT_TRUE(what.find("_backward") < what.size() || what.starts_with("torch.ops.aten._")) << what;
  }
  EXPECT_FALSE(refused.contains("torch.ops.aten._reshape_alias.default"));
  EXPECT_FALSE(refused.contains("torch.ops.aten._index_put_impl.default"));
  EXPECT_GT(graphs, 100);
  EXPECT_GT(judged * 10, graphs * 8) << judged << " of " << graphs;
}

TEST(GraphCaseTest, MemoryConstantsAndNumbersStayWhatTheyAre) {
  ir::Graph graph;
  const auto node = [](ir::NodeId id) { return ir::nodeArgument(id); };
  const ir::NodeId left = graph.addPlaceholder("sum"), right = graph.addPlaceholder("data"),
                   conjugated = graph.addPlaceholder("z"), number = graph.addPlaceholder("number");
  const ir::NodeId constant = graph.addConstant("c", runtime::tensorConstant(at::tensor({1.5, -0.0}, at::kDouble)));
  graph.addOperator("aten::mul_.Scalar", {node(left), {3.0}}); // `data` lies there, too
  const ir::NodeId total = graph.addOperator("aten::mul.Tensor", {node(right), node(number)});
  graph.output.payload =
      ir::Argument::Container{ir::Argument::Container::Kind::kTuple, {node(total), node(constant), node(conjugated)}};
  const at::Tensor memory = at::tensor({1.0, std::nan(""), INFINITY, -1e-30, 7.0}, at::kFloat);
  at::Tensor two = at::scalar_tensor(2.0, at::kDouble);
  two.unsafeGetTensorImpl()->set_wrapped_number(true);
  const std::vector<at::Tensor> inputs{memory.slice(0, 0, 4), memory.slice(0, 1, 5),
                                       at::complex(at::ones({2}), at::arange(2.0)).conj(), two};
  const language::Case theCase = commands::caseOfGraph(graph, inputs, commands::InputValues::kKept);
  const std::string text = standalone::printCase(theCase, language::CaseForm::kShort);
  const language::Case read = parser::parseCase(text);
  const graph_files::GraphObservation expected = graph_files::observeGraph(graph, inputs);
  EXPECT_EQ(graph_files::differenceOf(runProgram(read, {}, inputs.size()), expected), "") << text;
}

TEST(GraphCaseTest, ValuesThatAreUnknownOrManyComeFromData) {
  ir::Graph graph;
  const ir::NodeId x = graph.addPlaceholder("x"), i = graph.addPlaceholder("i");
  graph.output = ir::nodeTuple({x, i});
  const std::vector<at::Tensor> small{at::ones({2, 3}), at::arange(3)};
  const auto textOf = [&](const std::vector<at::Tensor>& inputs, commands::InputValues values) {
    return standalone::printCase(commands::caseOfGraph(graph, inputs, values), language::CaseForm::kShort);
  };
  const std::string unknown = textOf(small, commands::InputValues::kUnknown);
  EXPECT_NE(unknown.find("x = data((2, 3), torch.float32, (seed, 0), kind)"), std::string::npos) << unknown;
  EXPECT_NE(unknown.find("i = torch.zeros((3,), dtype=torch.int64)"), std::string::npos) << unknown;
  const std::string kept = textOf({at::ones({100, 100}), at::arange(3)}, commands::InputValues::kKept);
  EXPECT_NE(kept.find("# note: not with the values that were kept: x\n"), std::string::npos) << kept;
  EXPECT_NE(kept.find("i = torch.tensor([0, 1, 2], dtype=torch.int64)"), std::string::npos) << kept;
}

TEST(GraphCaseTest, WhatACaseCannotSayIsRefusedByASentence) {
  const auto refusalOf = [](const ir::Graph& graph, const std::vector<at::Tensor>& inputs) -> std::string {
    try {
      commands::caseOfGraph(graph, inputs, commands::InputValues::kKept);
    } catch (const ir::Unsupported& unsupported) {
      return unsupported.what();
    }
    return "";
  };
  ir::Graph graph;
  const ir::NodeId x = graph.addPlaceholder("x");
  graph.output = ir::nodeTuple({x});
  EXPECT_EQ(refusalOf(graph, {at::ones({2})}), "");
  EXPECT_NE(refusalOf(graph, {at::ones({2}).to_sparse()}).find("no strided tensor"), std::string::npos);
  EXPECT_NE(refusalOf(graph, {}).find("it has 1 input and was given 0"), std::string::npos);
  ir::Graph elsewhere = graph;
  elsewhere.node(x).metadata = runtime::metadataOf(at::ones({2}));
  elsewhere.node(x).metadata->device = "cuda:0";
  EXPECT_NE(refusalOf(elsewhere, {at::ones({2})}).find("live on cuda:0"), std::string::npos);
  ir::Graph internal = graph;
  internal.addOperator("aten::_cdist_forward", {ir::nodeArgument(x), ir::nodeArgument(x), {2.0}, {}});
  EXPECT_NE(refusalOf(internal, {at::ones({2})}).find("_cdist_forward.default` is forbidden"), std::string::npos);
  ir::Graph opaque = graph;
  opaque.addCallable("hook", {ir::nodeArgument(x)}, nullptr);
  EXPECT_NE(refusalOf(opaque, {at::ones({2})}).find("`hook`, which is no operator"), std::string::npos);
}

TEST(GraphCaseTest, EffectsAreCalledWithoutTheirTokens) {
  const TemporaryFolder folder("graph_case_effects");
  std::string text = smallCase("torch.relu(x.sin()) + x.cos()");
  text.replace(text.find("torch.ones((2, 3))"), 18, "torch.ones((2, 3)).requires_grad_()");
  text.replace(text.find("    return torch.relu"), 0,
               "    torch.ops.aten._print(\"first\")\n    torch._assert_async((x < 9).all(), \"large\")\n");
  const std::string file = folder.file("case.py", text);
  for (const std::string backend : {"aot_eager", "aot_eager_decomp_partition"}) { // with tokens, and without
    const std::string dumped = folder.path() / backend, small = folder.path() / "small.py";
    ASSERT_EQ(runBinary({"dump", file, "--graphs", dumped, "--inputs", "--backend", backend}).status, 0);
    const std::string graphs = dumped + "/graphs_0";
    for (const std::string& given : {graphs + "/joint", graphs + "/forward"}) {
      const language::Case theCase = commands::caseOfGraphFolder(given).value().theCase;
      const std::string program = language::printFunction(theCase.program());
      EXPECT_LT(program.find("torch.ops.aten._print.default(\"first\")"),
                program.find("torch.ops.aten._assert_async.msg("))
          << program;
      EXPECT_EQ(program.find("token"), std::string::npos) << program;
      EXPECT_EQ(program.find("with_effects"), std::string::npos) << program;
    }
    const auto kept = graph_files::GraphFolder::open(graphs).observation("forward").value();
    const size_t tokens = backend == std::string("aot_eager") ? 1 : 0; // the first input and the first result
    const language::Case forward = commands::caseOfGraphFolder(graphs).value().theCase;
    graph_files::GraphObservation found = runProgram(forward, kept.generator, kept.inputs.size() - tokens);
    graph_files::GraphObservation expected = kept;
    for (std::vector<at::Tensor>* each : {&expected.inputs, &expected.inputsAfter, &expected.outputs}) {
      each->erase(each->begin(), each->begin() + static_cast<ptrdiff_t>(tokens));
    }
    EXPECT_EQ(graph_files::differenceOf(found, expected), "");
    const BinaryRun run = runBinary({"reduce", graphs, "--check", "grep -q aten._print", "-o", small});
    EXPECT_EQ(run.status, 0) << run.errors;
    EXPECT_NE(language::printFunction(parser::readCase(small).program()).find("_print"), std::string::npos);
  }
}

TEST(GraphCaseTest, ResultsOfEffectsStandBehindTheirTokens) {
  ir::Graph graph;
  const auto node = [](ir::NodeId id) { return ir::nodeArgument(id); };
  const ir::NodeId token = graph.addPlaceholder("token"), x = graph.addPlaceholder("x");
  for (const char* target : {"graph_case_test::note", "graph_case_test::split"}) {
    fake::registerEffectfulOperator({target, /*mayRaise=*/false});
  }
  const ir::NodeId sine = graph.addOperator(fake::withEffectsTarget("graph_case_test::note"), {node(token), node(x)});
  const ir::NodeId next = graph.addElement(sine, 0), sineOfX = graph.addElement(sine, 1);
  const ir::NodeId parts =
      graph.addOperator(fake::withEffectsTarget("graph_case_test::split"), {node(next), node(sineOfX)});
  const ir::NodeId last = graph.addElement(parts, 0), exponent = graph.addElement(parts, 2);
  graph.output = ir::nodeTuple({last, exponent, -1, sineOfX, graph.addElement(parts, 1)});
  std::vector<at::Tensor> inputs{fake::makeToken(), at::tensor({0.5, 2.0})};
  const graph_files::GraphObservation seen = graph_files::observeGraph(graph, inputs);
  const ir::Graph plain = commands::withPlainEffects(graph, inputs);
  ASSERT_EQ(inputs.size(), 1u);
  const std::vector<at::Tensor> outputs = runtime::Interpreter(plain).runFlat(inputs);
  ASSERT_EQ(outputs.size() + 1, seen.outputs.size());
  for (size_t i = 0; i < outputs.size(); ++i) {
    EXPECT_TRUE(outputs[i].defined() ? at::equal(outputs[i], seen.outputs[i + 1]) : !seen.outputs[i + 1].defined())
        << i;
  }
}

TEST(GraphCaseTest, ReduceTakesAFolderThatDumpWrote) {
  const TemporaryFolder folder("graph_case_reduce");
  const std::string file = folder.file("case.py", smallCase("torch.relu(x.sin().t()) + x.t().cos()"));
  const std::string dumped = folder.path() / "dumped", small = folder.path() / "small.py";
  ASSERT_EQ(runBinary({"dump", file, "--graphs", dumped, "--inputs"}).status, 0);
  const std::string graphs = dumped + "/graphs_0";
  for (const std::string& given : {graphs, graphs + "/", graphs + "/forward"}) {
    const BinaryRun run = runBinary({"reduce", given, "-b", "relu_accuracy_error_TESTING_ONLY", "-o", small});
    ASSERT_EQ(run.status, 0) << run.errors;
    const std::string program = language::printFunction(parser::readCase(small).program());
    EXPECT_NE(program.find("torch.ops.aten.relu.default("), std::string::npos) << program;
    EXPECT_EQ(program.find("sin"), std::string::npos) << program;
  }
  const BinaryRun sound = runBinary({"reduce", graphs}); // under what compiled it
  EXPECT_EQ(sound.status, 4);
  EXPECT_NE(sound.errors.find("under `aot_eager` the outcome of " + graphs + " is Agreed"), std::string::npos)
      << sound.errors;
  const BinaryRun check = runBinary({"reduce", graphs, "--check", "grep -q cos", "-o", small});
  EXPECT_EQ(check.status, 0) << check.errors;
  const BinaryRun none = runBinary({"reduce", dumped + "/graphs_1"});
  EXPECT_EQ(none.status, 2);
  const BinaryRun nothing = runBinary({"reduce", graphs + "/nothing"});
  EXPECT_EQ(nothing.status, 2);
  EXPECT_NE(nothing.errors.find("there is no Graph `nothing`, but: forward"), std::string::npos) << nothing.errors;
  std::ofstream(graphs + "/forward/graph.json") << "cut off";
  EXPECT_EQ(runBinary({"reduce", graphs}).status, 2);
}

} // namespace touchstone::tests
