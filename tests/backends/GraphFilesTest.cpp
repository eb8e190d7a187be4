#include "backends/graph_files/GraphDumper.h"
#include "backends/graph_files/GraphFolder.h"
#include "backends/graph_files/GraphJson.h"
#include "graph/ir/Arguments.h"
#include "graph/runtime/GraphCode.h"
#include "graph/runtime/Interpreter.h"
#include "tests/backends/DebuggingCalls.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/complex.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/ones.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <set>
#include <sstream>
#include <thread>

namespace touchstone::tests {
namespace {

namespace fs = std::filesystem;

class GraphFilesTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("touchstone_graph_files_" + std::to_string(getpid()));
    fs::remove_all(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  static std::string read(const fs::path& path) {
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
  }
  static void write(const fs::path& path, const std::string& text) { std::ofstream(path, std::ios::binary) << text; }

  std::shared_ptr<graph_files::GraphDumper> dumperOf(const std::string& backend, bool withValues) const {
    return std::make_shared<graph_files::GraphDumper>(
        graph_files::GraphDumpOptions{folder_, "net", backend, withValues});
  }

  /// Compiles and runs a program of two tensors and its backward; the folder's dumper.
  std::shared_ptr<graph_files::GraphDumper> dumped(const std::string& program, bool withValues,
                                                   const std::string& backend = "aot_eager") {
    const auto dumper = dumperOf(backend, withValues);
    const language::Case theCase = debuggingCase(program);
    const auto native = native::makeNativeBackend(backends::backendInfo(backend), {dumper});
    const auto compiled = native->compile(theCase);
    DebuggingCalls::call(*compiled, {numbers({3, 4}).requires_grad_(), numbers({3, 4}, 1)})
        .at(0)
        .backward(at::ones({3, 4}));
    return dumper;
  }

  fs::path folder_;
};

ir::Argument container(ir::Argument::Container::Kind kind, std::vector<ir::Argument> items) {
  return {ir::Argument::Container{.kind = kind, .items = std::move(items)}};
}

TEST_F(GraphFilesTest, EveryArgumentComesBackAsWhatItWas) {
  using Kind = ir::Argument::Container::Kind;
  const double infinity = std::numeric_limits<double>::infinity();
  const std::vector<ir::Argument> all{{},
                                      {true},
                                      {int64_t{-3}},
                                      {int64_t{1}},
                                      {1.0},
                                      {-0.0},
                                      {infinity},
                                      {-infinity},
                                      {0.1},
                                      {std::complex<double>(1, -infinity)},
                                      {"a\"\n"},
                                      {ir::DtypeConstant{15}},
                                      {ir::LayoutConstant{0}},
                                      {ir::MemoryFormatConstant{2}},
                                      {ir::DeviceConstant{"cuda:1"}},
                                      container(Kind::kSize, {{int64_t{2}}}),
                                      container(Kind::kTuple, {{2.0}, container(Kind::kList, {})})};
  ir::Graph graph;
  graph.addPlaceholder("x");
  ir::Argument::Container dict{.kind = Kind::kDict, .items = {{int64_t{1}}, ir::nodeArgument(0)}, .keys = {"a", "b"}};
  std::vector<ir::Argument> items = all;
  items.push_back({dict});
  graph.output = container(Kind::kTuple, items);
  EXPECT_EQ(graph_files::graphFromJson(nlohmann::json::parse(graph_files::graphToJson(graph).dump()), {}).output,
            graph.output);
  const auto comesBack = [](double value) {
    ir::Graph holder;
    holder.output = {value};
    return std::get<double>(graph_files::graphFromJson(graph_files::graphToJson(holder), {}).output.payload);
  };
  EXPECT_TRUE(std::signbit(comesBack(-0.0)));
  EXPECT_TRUE(std::isnan(comesBack(std::numeric_limits<double>::quiet_NaN())));
}

TEST_F(GraphFilesTest, AWrittenGraphIsTheSameAndGivesTheSame) {
  const auto dumper = dumped(
      "def program(x, w):\n    y = torch.rand_like(x) * x.t().contiguous().t()\n    w.add_(1)\n    return y.exp() * "
      "w\n",
      true);
  ASSERT_EQ(dumper->folders(), std::vector<fs::path>{folder_ / "net_0"});
  EXPECT_TRUE(dumper->refused().empty());
  const graph_files::GraphFolder folder = graph_files::GraphFolder::open(dumper->folders().at(0));
  EXPECT_EQ(folder.pipeline(), "aot_eager");
  ASSERT_EQ(folder.parts(), (std::vector<std::string>{"joint", "forward", "backward"}));
  for (const std::string& part : folder.parts()) {
    const std::optional<graph_files::GraphObservation> kept = folder.observation(part);
    ASSERT_TRUE(kept.has_value()) << part;
    EXPECT_EQ(kept->generator.defined(), part != "backward") << part;
    const ir::Graph graph = folder.graph(part);
    EXPECT_EQ(differenceOf(graph_files::observeGraph(graph, kept->inputs, kept->generator), *kept), "") << part;
    graph_files::GraphObservation other = *kept;
    other.outputs.at(0) = other.outputs.at(0) + 1;
    EXPECT_NE(differenceOf(graph_files::observeGraph(graph, kept->inputs, kept->generator), other), "") << part;
  }
}

TEST_F(GraphFilesTest, WhatIsThereIsLeftAlone) {
  for (int i = 0; i < 3; ++i) {
    dumped("def program(x, w):\n    return x * w\n", false);
    EXPECT_TRUE(fs::exists(folder_ / ("net_" + std::to_string(i)) / "backward" / "graph.json"));
  }
  const graph_files::GraphFolder folder = graph_files::GraphFolder::open(folder_ / "net_1");
  const std::string before = read(folder_ / "net_1" / "forward" / "graph.json");
  EXPECT_NE(thrownText([&] { folder.addPart("forward", folder.graph("joint")); }).find("nothing is written over it"),
            std::string::npos);
  EXPECT_EQ(read(folder_ / "net_1" / "forward" / "graph.json"), before);
  EXPECT_FALSE(fs::exists(folder_ / "net_1" / "forward" / "values.bin")) << "nobody asked for values";
}

TEST_F(GraphFilesTest, AFileInTheWayTakesANumberAndWhatIsUnfinishedIsNoPart) {
  fs::create_directories(folder_);
  write(folder_ / "net_0", "mine");
  const graph_files::GraphFolder made = graph_files::GraphFolder::make(folder_, "net", "aot_eager");
  EXPECT_EQ(made.path(), folder_ / "net_1");
  EXPECT_EQ(read(folder_ / "net_0"), "mine");
  made.addPart("forward", chainGraph({"aten::neg"}));
  fs::copy(made.path() / "forward", made.path() / "forward.part1", fs::copy_options::recursive);
  EXPECT_EQ(made.parts(), std::vector<std::string>{"forward"});
  EXPECT_THROW(made.addPart("forward", chainGraph({"aten::exp"})), graph_files::GraphFileError);
  EXPECT_FALSE(fs::exists(made.path() / ("forward.part" + std::to_string(getpid()))));
  write(made.path() / "forward" / "graph.json.empty", "");
  fs::remove(made.path() / "forward" / "graph.json");
  fs::rename(made.path() / "forward" / "graph.json.empty", made.path() / "forward" / "graph.json");
  EXPECT_NE(thrownText([&] { (void)made.graph("forward"); }).find("cut off or damaged"), std::string::npos);
}

TEST_F(GraphFilesTest, CompilesOfSeveralThreadsHaveFoldersOfTheirOwn) {
  const auto dumper = dumperOf("aot_eager", /*withValues=*/true);
  const std::vector<std::string> operators{"sin", "cos", "exp", "tanh", "neg", "abs", "sigmoid", "relu"};
  std::vector<std::thread> threads;
  for (const std::string& name : operators) {
    threads.emplace_back([&dumper, name] {
      const language::Case theCase = debuggingCase("def program(x, w):\n    return (x * w)." + name + "() * x\n");
      const auto native = native::makeNativeBackend(backends::backendInfo("aot_eager"), {dumper});
      const auto compiled = native->compile(theCase);
      DebuggingCalls::call(*compiled, {numbers({3, 4}).requires_grad_(), numbers({3, 4}, 1)})
          .at(0)
          .backward(at::ones({3, 4}));
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  ASSERT_EQ(dumper->folders().size(), operators.size());
  std::set<std::string> seen;
  for (const fs::path& path : dumper->folders()) {
    const graph_files::GraphFolder folder = graph_files::GraphFolder::open(path);
    ASSERT_EQ(folder.parts(), (std::vector<std::string>{"joint", "forward", "backward"}));
    const auto targets = [&](const std::string& part) {
      std::set<std::string> names;
      const ir::Graph graph = folder.graph(part);
      for (const ir::Node& node : graph.nodes()) {
        names.insert(node.target);
      }
      return names;
    };
    const std::set<std::string> forward = targets("forward"), joint = targets("joint");
    for (const std::string& name : operators) {
      if (forward.contains("aten::" + name)) {
        seen.insert(name);
        EXPECT_TRUE(joint.contains("aten::" + name)) << path << ": another compile's joint Graph";
      }
    }
    for (const std::string& part : folder.parts()) {
      const auto kept = folder.observation(part);
      ASSERT_TRUE(kept) << path << " " << part;
      EXPECT_EQ(differenceOf(graph_files::observeGraph(folder.graph(part), kept->inputs, kept->generator), *kept), "")
          << part;
    }
  }
  EXPECT_EQ(seen.size(), operators.size());
}

TEST_F(GraphFilesTest, ADamagedCutOffOrNewerFileIsRefused) {
  dumped("def program(x, w):\n    return x * w + torch.tensor([1.0, 2.0, 3.0, 4.0])\n", true);
  const fs::path path = folder_ / "net_0";
  const auto said = [&] {
    return thrownText([&] {
      const graph_files::GraphFolder folder = graph_files::GraphFolder::open(path);
      for (const std::string& part : folder.parts()) {
        folder.graph(part);
        folder.observation(part);
      }
      graph_files::inputsLike(path / "forward" / "inputs.json");
    });
  };
  ASSERT_EQ(said(), "");
  for (const char* name :
       {"graphs.json", "forward/graph.json", "forward/values.bin", "forward/inputs.json", "forward/constants.bin"}) {
    const std::string whole = read(path / name);
    ASSERT_FALSE(whole.empty()) << name;
    for (const size_t length : {size_t{0}, size_t{1}, whole.size() / 2, whole.size() - 1}) {
      write(path / name, whole.substr(0, length));
      EXPECT_EQ(said().find((path / name).string() + ": "), 0u) << name << " cut off at " << length << ": " << said();
    }
    for (const size_t position : {whole.size() / 3, whole.size() / 2, whole.size() - 2}) {
      std::string changed = whole;
      changed[position] = changed[position] == '1' ? '2' : '1';
      write(path / name, changed);
      EXPECT_EQ(said().find((path / name).string() + ": "), 0u) << name << " changed at " << position << ": " << said();
    }
    std::string newer = whole;
    newer.replace(newer.find("\"format\": 1"), 11, "\"format\": 2");
    write(path / name, newer);
    EXPECT_NE(said().find("it has format 2, and this build of Touchstone reads formats up to 1"), std::string::npos)
        << said();
    write(path / name, whole);
  }
  fs::remove(path / "forward" / "graph.json");
  write(path / "forward" / "graph.json", read(path / "forward" / "inputs.json"));
  EXPECT_NE(said().find("it holds `inputs`, and `graph` was looked for"), std::string::npos) << said();
}

TEST_F(GraphFilesTest, WhatIsWellFormedAndWrongIsRefused) {
  ir::Graph graph = chainGraph({"aten::neg"});
  nlohmann::json object = graph_files::graphToJson(graph);
  const auto said = [&](auto change) {
    nlohmann::json changed = object;
    change(changed);
    return thrownText([&] { graph_files::graphFromJson(changed, {}); });
  };
  EXPECT_EQ(said([](nlohmann::json&) {}), "");
  EXPECT_NE(said([](nlohmann::json& o) { o["nodes"][1]["arguments"][0]["node"] = 5; }).find("does not come before it"),
            std::string::npos);
  EXPECT_NE(said([](nlohmann::json& o) { o["nodes"][1]["target"] = "aten::no_such"; }).find("there is no operator"),
            std::string::npos);
  EXPECT_NE(said([](nlohmann::json& o) { o["nodes"][1]["target"] = "aten::from_file"; }).find("may not be called"),
            std::string::npos);
  EXPECT_NE(said([](nlohmann::json& o) { o["nodes"][1].erase("name"); }), "");
  EXPECT_NE(said([](nlohmann::json& o) { o["nodes"][1]["name"] = "x"; }).find("two nodes are named"),
            std::string::npos);
}

TEST_F(GraphFilesTest, TensorsShareMemoryAsTheyDid) {
  const at::Tensor base = numbers({4, 4});
  const at::Tensor complex = at::complex(numbers({3}), numbers({3}, 1)).conj();
  const graph_files::TensorLists lists{{"a", {base.t(), at::Tensor(), base.select(0, 1)}}, {"b", {base, complex}}};
  graph_files::TensorLists read = graph_files::tensorsFromText(graph_files::tensorsToText(lists), "file");
  EXPECT_TRUE(at::equal(read["a"].at(0), base.t()) && read["a"].at(0).strides() == base.t().strides());
  EXPECT_FALSE(read["a"].at(1).defined());
  EXPECT_TRUE(read["b"].at(1).is_conj() && at::equal(read["b"].at(1), complex));
  read["b"].at(0).add_(1);
  EXPECT_TRUE(at::equal(read["a"].at(2), base.select(0, 1) + 1));
}

TEST_F(GraphFilesTest, InputsAreMadeLikeThoseOfTheCompile) {
  const auto dumper = dumped("def program(x, w):\n    return x.t().sin().t() * w\n", false);
  const fs::path forward = dumper->folders().at(0) / "forward";
  const std::vector<at::Tensor> inputs = graph_files::inputsLike(forward / "inputs.json"),
                                again = graph_files::inputsLike(forward / "inputs.json");
  const ir::Graph graph = graph_files::GraphFolder::open(dumper->folders().at(0)).graph("forward");
  ASSERT_EQ(inputs.size(), graph.placeholders().size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    EXPECT_EQ(inputs[i].sizes().vec(), graph.node(graph.placeholders()[i]).metadata->sizes);
    EXPECT_TRUE(at::equal(inputs[i], again[i]) && inputs[i].abs().sum().item<double>() > 0);
  }
  EXPECT_FALSE(at::equal(inputs[0].view(-1), inputs[1].view(-1)));
  EXPECT_EQ(runtime::Interpreter(graph).runFlat(inputs).size(), ir::outputNodes(graph).size());
}

TEST_F(GraphFilesTest, InputsHaveTheStridesAndTheMemoryOfTheGraphs) {
  const at::Tensor base = numbers({4, 4});
  const std::vector<at::Tensor> examples{base.t(), base.select(0, 1), numbers({2})};
  ir::Graph graph;
  std::vector<ir::NodeId> inputs;
  for (size_t i = 0; i < examples.size(); ++i) {
    inputs.push_back(graph.addPlaceholder("x" + std::to_string(i)));
    graph.node(inputs[i]).metadata = runtime::metadataOf(examples[i]);
    graph.node(inputs[i]).metadata->storage = i < 2 ? 0 : 1;
  }
  graph.output = ir::nodeTuple(inputs);
  const graph_files::GraphFolder folder = graph_files::GraphFolder::make(folder_, "net", "aot_eager");
  folder.addPart("forward", graph, {.primals = {}, .examples = examples});
  const std::vector<at::Tensor> made = graph_files::inputsLike(folder.path() / "forward" / "inputs.json");
  ASSERT_EQ(made.size(), examples.size());
  for (size_t i = 0; i < made.size(); ++i) {
    EXPECT_EQ(made[i].strides(), examples[i].strides());
    EXPECT_EQ(made[i].storage_offset(), examples[i].storage_offset());
  }
  EXPECT_TRUE(made[0].is_alias_of(made[1]));
  EXPECT_FALSE(made[0].is_alias_of(made[2]));
}

} // namespace
} // namespace touchstone::tests
