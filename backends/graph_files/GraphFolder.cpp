#include "backends/graph_files/GraphFolder.h"

#include "backends/graph_files/GraphJson.h"
#include "backends/graph_files/PythonFile.h"
#include "base/AtomicFile.h"
#include "graph/ir/Geometry.h"
#include "graph/ir/Stages.h"
#include "graph/runtime/Interpreter.h"
#include "program/values/Data.h"

#include <fmt/format.h>
#include <torch/version.h>
#include <unistd.h>

#include <ATen/ops/scalar_tensor.h>

#include <algorithm>
#include <map>

namespace touchstone::graph_files {

namespace {

using nlohmann::json;
namespace fs = std::filesystem;

constexpr const char* kManifest = "graphs.json";
constexpr const char* kGraph = "graph.json";
constexpr const char* kConstants = "constants.bin";
constexpr const char* kInputs = "inputs.json";
constexpr const char* kValues = "values.bin";
constexpr const char* kPython = "graph.py";
constexpr int kMostFolders = 1 << 20;
constexpr int64_t kMostBytesMade = int64_t{1} << 32; // of an input that is made

[[noreturn]] void failPath(const fs::path& path, const std::string& what) {
  throw GraphFileError(fmt::format("{}: {}", path.string(), what));
}

std::string readWhole(const fs::path& path) {
  try {
    return base::readFile(path);
  } catch (const std::exception& error) {
    failPath(path, error.what());
  }
}

/// Whole or not at all, and never over what is there.
void writeNew(const fs::path& path, const std::string& text) {
  try {
    if (base::writeNewFile(path, text)) {
      return;
    }
  } catch (const std::exception& error) {
    failPath(path, error.what());
  }
  failPath(path, "it is there already, and nothing is written over it");
}

constexpr const char* kUnfinished = ".part"; // in the name of a folder that is being written

/// Goes with all that is in it, unless it is kept.
class UnfinishedFolder {
 public:
  explicit UnfinishedFolder(fs::path path) : path_(std::move(path)) {}
  ~UnfinishedFolder() {
    std::error_code ignored;
    if (!isKept_) {
      fs::remove_all(path_, ignored);
    }
  }
  UnfinishedFolder(const UnfinishedFolder&) = delete;
  UnfinishedFolder& operator=(const UnfinishedFolder&) = delete;
  void keep() { isKept_ = true; }

 private:
  const fs::path path_;
  bool isKept_ = false;
};

bool isFileName(const std::string& name) {
  return !name.empty() && name != "." && name != ".." && name.find('/') == std::string::npos &&
         name.find('\0') == std::string::npos;
}

bool isNumber(const at::Tensor& tensor) {
  return tensor.defined() && tensor.device().is_cpu() && tensor.unsafeGetTensorImpl()->is_wrapped_number() &&
         !tensor.is_complex();
}

json numberToJson(const at::Tensor& number) {
  const at::Scalar value = number.item();
  return value.isBoolean()         ? json(value.toBool())
         : value.isFloatingPoint() ? doubleToJson(value.toDouble())
                                   : json(value.toLong());
}

at::Tensor numberFromJson(const json& number) {
  at::Tensor tensor = number.is_boolean()          ? at::scalar_tensor(number.get<bool>(), at::kBool)
                      : number.is_number_integer() ? at::scalar_tensor(number.get<int64_t>(), at::kLong)
                                                   : at::scalar_tensor(doubleFromJson(number), at::kDouble);
  tensor.unsafeGetTensorImpl()->set_wrapped_number(true);
  return tensor;
}

json inputsToJson(const ir::Graph& graph, const InputFacts& facts) {
  json inputs = json::array();
  for (const ir::NodeId id : graph.placeholders()) {
    const ir::Node& node = graph.node(id);
    json input{{"name", node.name}};
    if (inputs.size() < facts.examples.size() && isNumber(facts.examples[inputs.size()])) {
      input["number"] = numberToJson(facts.examples[inputs.size()]);
    } else if (node.metadata) {
      input["tensor"] = metadataToJson(*node.metadata);
      input["memory"] = node.metadata->storage >= 0 ? node.metadata->storage : -1 - id; // equal: one memory
    }
    inputs.push_back(std::move(input));
  }
  json content{{"inputs", std::move(inputs)}};
  if (facts.primals) {
    content["primals"] = *facts.primals;
  }
  return content;
}

int orderOf(const std::string& part) {
  return part == ir::kJointStage ? 0 : part == ir::kForwardStage ? 1 : 2;
}

} // namespace

bool GraphFolder::isOne(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored) && fs::exists(path / kManifest, ignored);
}

GraphFolder GraphFolder::make(const fs::path& parent, const std::string& name, const std::string& pipeline) {
  if (!isFileName(name)) {
    failPath(parent, "`" + name + "` is no name of a folder");
  }
  std::error_code error;
  fs::create_directories(parent, error);
  for (int number = 0; number < kMostFolders; ++number) {
    const fs::path path = parent / (name + "_" + std::to_string(number));
    if (fs::create_directory(path, error)) { // false: somebody has it
      UnfinishedFolder unfinished(path);
      const json content{{"name", name}, {"pipeline", pipeline}, {"torch", TORCH_VERSION}};
      writeNew(path / kManifest, sealed("graphs", content));
      unfinished.keep();
      return GraphFolder(path, pipeline);
    }
    if (error && error != std::errc::file_exists) { // that: a file has the name
      failPath(path, "it cannot be made: " + error.message());
    }
  }
  failPath(parent, "there is no number left for `" + name + "`");
}

GraphFolder GraphFolder::open(const fs::path& path) {
  if (!isOne(path)) {
    failPath(path, std::string("this is no folder of Graphs: it has no `") + kManifest + "`");
  }
  const Opened opened = openSealed(readWhole(path / kManifest), "graphs", path / kManifest);
  return GraphFolder(path, opened.content.value("pipeline", ""));
}

void GraphFolder::addPart(const std::string& part, const ir::Graph& graph, const InputFacts& facts) const {
  if (!isFileName(part)) {
    failPath(path_, "`" + part + "` is no name of a folder");
  }
  std::vector<at::Tensor> constants;
  for (const auto& constant : graph.constants()) {
    constants.push_back(*static_cast<const at::Tensor*>(constant.get()));
  }
  std::map<std::string, std::string> files{{kGraph, sealed("graph", graphToJson(graph))},
                                           {kInputs, sealed("inputs", inputsToJson(graph, facts))},
                                           {kPython, pythonFile(graph, part, pipeline_)}};
  if (!constants.empty()) {
    files[kConstants] = tensorsToText({{"constants", constants}});
  }
  std::error_code error;
  const fs::path own = path_ / (part + kUnfinished + std::to_string(getpid()));
  if (!fs::create_directory(own, error) && error) {
    failPath(own, "it cannot be made: " + error.message());
  }
  UnfinishedFolder unfinished(own);
  for (const auto& [name, text] : files) {
    writeNew(own / name, text);
  }
  if (fs::exists(path_ / part, error) || (fs::rename(own, path_ / part, error), error)) {
    failPath(path_ / part, error ? "it cannot be written: " + error.message()
                                 : "it is there already, and nothing is written over it");
  }
  unfinished.keep();
}

void GraphFolder::addObservation(const std::string& part, const GraphObservation& observation) const {
  TensorLists lists{
      {"inputs", observation.inputs}, {"inputs_after", observation.inputsAfter}, {"outputs", observation.outputs}};
  if (observation.generator.defined()) {
    lists["generator"] = {observation.generator};
  }
  writeNew(path_ / part / kValues, tensorsToText(lists));
}

std::vector<std::string> GraphFolder::parts() const {
  std::vector<std::string> parts;
  for (const auto& entry : fs::directory_iterator(path_)) {
    const bool isUnfinished = entry.path().filename().string().find(kUnfinished) != std::string::npos;
    if (entry.is_directory() && !isUnfinished && fs::exists(entry.path() / kGraph)) {
      parts.push_back(entry.path().filename());
    }
  }
  std::sort(parts.begin(), parts.end(), [](const std::string& left, const std::string& right) {
    return std::pair(orderOf(left), left) < std::pair(orderOf(right), right);
  });
  return parts;
}

ir::Graph GraphFolder::graph(const std::string& part) const {
  const fs::path folder = path_ / part;
  const Opened opened = openSealed(readWhole(folder / kGraph), "graph", folder / kGraph);
  std::vector<std::shared_ptr<const void>> constants;
  if (fs::exists(folder / kConstants)) {
    TensorLists lists = tensorsFromText(readWhole(folder / kConstants), folder / kConstants);
    for (at::Tensor& constant : lists["constants"]) {
      constants.push_back(runtime::tensorConstant(std::move(constant)));
    }
  }
  try {
    return graphFromJson(opened.content, constants);
  } catch (const std::exception& error) {
    failPath(folder / kGraph, error.what());
  }
}

std::optional<GraphObservation> GraphFolder::observation(const std::string& part) const {
  const fs::path file = path_ / part / kValues;
  if (!fs::exists(file)) {
    return std::nullopt;
  }
  TensorLists lists = tensorsFromText(readWhole(file), file);
  GraphObservation observation{lists["inputs"], lists["inputs_after"], lists["outputs"], {}};
  if (!lists["generator"].empty()) {
    observation.generator = lists["generator"].front();
  }
  return observation;
}

std::vector<at::Tensor> inputsLike(const fs::path& inputsFile, int64_t seed) {
  const Opened opened = openSealed(readWhole(inputsFile), "inputs", inputsFile);
  try {
    struct Memory {
      int64_t elements = 0, number = 0;
      at::Tensor values;
    };
    std::map<std::pair<int64_t, int64_t>, Memory> memories; // by number and dtype
    std::vector<std::pair<ir::TensorMetadata, Memory*>> wanted;
    std::map<size_t, at::Tensor> numbers; // by position
    for (const json& input : opened.content.at("inputs")) {
      if (input.contains("number")) {
        numbers[wanted.size()] = numberFromJson(input.at("number"));
        wanted.emplace_back(ir::TensorMetadata(), nullptr);
        continue;
      }
      if (!input.contains("tensor")) {
        throw std::runtime_error("nothing is known of the input `" + input.at("name").get<std::string>() + "`");
      }
      const ir::TensorMetadata metadata = metadataFromJson(input.at("tensor"));
      if (metadata.strides.size() != metadata.sizes.size()) {
        throw std::runtime_error("the input `" + input.at("name").get<std::string>() + "` has no strides");
      }
      Memory& memory = memories[{input.at("memory").get<int64_t>(), metadata.dtype.value}];
      memory.number = static_cast<int64_t>(wanted.size());
      memory.elements = std::max({memory.elements, int64_t{1}, metadata.offset + ir::spanOf(metadata)});
      wanted.emplace_back(metadata, &memory);
    }
    std::vector<at::Tensor> inputs;
    for (const auto& [metadata, memory] : wanted) {
      if (memory == nullptr) {
        inputs.push_back(numbers.at(inputs.size()));
        continue;
      }
      const auto dtype = static_cast<at::ScalarType>(metadata.dtype.value);
      if (memory->elements > kMostBytesMade / 16) {
        throw std::runtime_error("an input is too large to be made");
      }
      if (!memory->values.defined()) {
        const bool isFloat = at::isFloatingType(dtype) || at::isComplexType(dtype);
        memory->values = values::data({memory->elements}, dtype, seed, memory->number, isFloat ? "uniform" : "zeros");
      }
      inputs.push_back(memory->values.as_strided(metadata.sizes, metadata.strides, metadata.offset));
    }
    return inputs;
  } catch (const std::exception& error) {
    failPath(inputsFile, error.what());
  }
}

JointInputs jointInputsLike(const fs::path& inputsFile, int64_t seed) {
  const Opened opened = openSealed(readWhole(inputsFile), "inputs", inputsFile);
  JointInputs parts{inputsLike(inputsFile, seed), {}};
  const json& primals = opened.content.value("primals", json());
  if (!primals.is_number_unsigned() || primals.get<size_t>() > parts.primals.size()) {
    failPath(inputsFile, "it does not say which inputs are tangents, as that of a joint Graph does");
  }
  const auto first = parts.primals.begin() + static_cast<std::ptrdiff_t>(primals.get<size_t>());
  parts.tangents.assign(first, parts.primals.end());
  parts.primals.erase(first, parts.primals.end());
  return parts;
}

} // namespace touchstone::graph_files
