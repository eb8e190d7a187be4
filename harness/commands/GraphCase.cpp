#include "harness/commands/GraphCase.h"

#include "backends/graph_files/GraphFolder.h"
#include "base/ExitStatus.h"
#include "base/Words.h"
#include "graph/ir/GraphText.h"
#include "graph/ir/PythonNames.h"
#include "graph/ir/Stages.h"
#include "graph/ir/Unsupported.h"
#include "graph/runtime/GraphCode.h"
#include "graph/runtime/Interpreter.h"
#include "harness/commands/PlainEffects.h"
#include "program/parser/CaseParser.h"
#include "program/parser/LanguageNames.h"
#include "program/standalone/CaseFile.h"

#include <ATen/ops/empty.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <set>
#include <utility>

namespace touchstone::commands {

namespace {

constexpr int64_t kMostKeptFloats = 4096; // elements of one memory that are written out; more come from `data`
constexpr int64_t kMostKeptIntegers = 32768; // these may be indices

[[noreturn]] void refuse(const std::string& what) {
  throw ir::Unsupported("A Case cannot say what this Graph does: " + what);
}

std::string dtypeText(const at::Tensor& tensor) {
  return "torch." + ir::dtypeName({static_cast<int64_t>(tensor.scalar_type())});
}

std::string shapeText(at::IntArrayRef shape) {
  return fmt::format("({}{})", fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
}

/// `[[1.0, 2.0], [3.0, 4.0]]`
std::string literalOf(const at::Tensor& values) {
  if (values.dim() == 0) {
    return runtime::elementText(values);
  }
  std::vector<std::string> items;
  for (const at::Tensor& each : values.unbind()) {
    items.push_back(literalOf(each));
  }
  return fmt::format("[{}]", fmt::join(items, ", "));
}

/// The function `inputs`, a tensor at a time.
class InputsWriter {
 public:
  explicit InputsWriter(const std::vector<at::Tensor>& tensors) : tensors_(tensors) {
    for (const at::Tensor& tensor : tensors) {
      if (!tensor.defined() || tensor.layout() != at::kStrided || tensor.is_quantized()) {
        refuse("an input is no strided tensor.");
      }
      Memory& memory = memories_[tensor.storage().unsafeGetStorageImpl()];
      if (memory.tensors++ > 0 && memory.dtype != tensor.scalar_type()) {
        refuse("inputs of several dtypes share memory.");
      }
      memory.dtype = tensor.scalar_type();
    }
  }

  /// `isWrittenOut`: its values are known, and count.
  void add(size_t position, const std::string& name, bool isWrittenOut) {
    const at::Tensor& tensor = tensors_[position];
    arguments_.push_back(name);
    if (tensor.unsafeGetTensorImpl()->is_wrapped_number()) {
      lines_.push_back(name + " = " + runtime::elementText(tensor));
      return;
    }
    Memory& memory = memories_.at(tensor.storage().unsafeGetStorageImpl());
    const int64_t elements = static_cast<int64_t>(tensor.storage().nbytes()) / static_cast<int64_t>(tensor.itemsize());
    // The memory as it is: what is conjugated or negated lazily is so behind it.
    const at::Tensor whole = at::empty({0}, tensor.options()).set_(tensor.storage(), 0, {elements}, {1});
    std::string made;
    if (memory.tensors == 1 && tensor.is_contiguous() && tensor.numel() == elements) {
      made = valuesText(whole.view(tensor.sizes()), name, isWrittenOut);
    } else {
      if (memory.name.empty()) {
        memory.name = "memory_" + std::to_string(watched_.size());
        lines_.push_back(memory.name + " = " + valuesText(whole, name, isWrittenOut));
        watched_.push_back(memory.name);
      }
      made = fmt::format("torch.as_strided({}, {}, {}, {})", memory.name, shapeText(tensor.sizes()),
                         shapeText(tensor.strides()), tensor.storage_offset());
    }
    made = tensor.is_conj() ? "torch.conj(" + made + ")" : made;
    lines_.push_back(name + " = " + (tensor.is_neg() ? "torch._neg_view(" + made + ")" : made));
  }

  std::string text() const {
    return fmt::format("def inputs(seed, kind):\n    {}\n    return {}, {}\n", fmt::join(lines_, "\n    "),
                       tupleOf(arguments_), tupleOf(watched_));
  }
  const std::vector<std::string>& leftOut() const { return leftOut_; }

 private:
  struct Memory {
    int tensors = 0;
    at::ScalarType dtype = at::kFloat;
    std::string name;
  };

  static std::string tupleOf(const std::vector<std::string>& names) {
    return fmt::format("({}{})", fmt::join(names, ", "), names.size() == 1 ? "," : "");
  }

  /// An expression that makes a contiguous tensor of this dtype and these sizes.
  std::string valuesText(const at::Tensor& tensor, const std::string& name, bool isWrittenOut) {
    const bool isFloating = tensor.is_floating_point() || tensor.is_complex();
    const bool isSmall = tensor.numel() <= (isFloating ? kMostKeptFloats : kMostKeptIntegers);
    if (isWrittenOut && isSmall && tensor.numel() > 0) {
      return fmt::format("torch.tensor({}, dtype={})", literalOf(tensor), dtypeText(tensor));
    }
    if (isWrittenOut && !isSmall) {
      leftOut_.push_back(name);
    }
    return isFloating && tensor.numel() > 0
               ? fmt::format("data({}, {}, (seed, {}), kind)", shapeText(tensor.sizes()), dtypeText(tensor), number_++)
               : fmt::format("torch.zeros({}, dtype={})", shapeText(tensor.sizes()), dtypeText(tensor));
  }

  const std::vector<at::Tensor>& tensors_;
  std::map<const void*, Memory> memories_;
  std::vector<std::string> lines_, arguments_, watched_;
  std::vector<std::string> leftOut_; // inputs whose values are others than those kept
  int number_ = 0; // of what comes from `data`
};

/// The name of each node as a variable of a Case.
void rename(ir::Graph& graph) {
  const std::vector<std::string> names = ir::pythonNames(graph);
  std::set<std::string> taken(names.begin(), names.end());
  for (size_t i = 0; i < names.size(); ++i) {
    std::string name = names[i];
    const bool means = parser::kBuiltins.contains(name) || language::isInputsName(name) || name == "program" ||
                       name == "data" || name == "seed" || name == "kind" || name.starts_with("memory_");
    while (means && (name == names[i] || taken.contains(name))) {
      name = "v_" + name;
    }
    taken.insert(name);
    graph.node(static_cast<ir::NodeId>(i)).name = name;
  }
}

/// What a Case may call in the place of an internal operator: the same with the first `arguments`.
struct PublicName {
  const char* internal;
  const char* name;
  size_t arguments;
};
constexpr std::array kPublicNames{PublicName{"aten::_reshape_alias", "aten::as_strided", 3},
                                  PublicName{"aten::_index_put_impl", "aten::index_put", 4},
                                  PublicName{"aten::_index_put_impl_", "aten::index_put_", 4}};

/// The Program; `constants` gets the nodes of the tensors that it takes behind the Graph's inputs.
language::Function programOf(ir::Graph& graph, std::vector<ir::NodeId>& constants) {
  ir::GraphTextOptions options = runtime::libtorchTextOptions();
  options.name = "program";
  options.showState = true;
  const ir::Graph& whole = graph;
  for (size_t i = 0; i < whole.nodes().size(); ++i) {
    const auto id = static_cast<ir::NodeId>(i);
    ir::Node& node = graph.node(id);
    node.metadata.reset(); // what a Case has no words for
    node.writes.clear();
    if (node.kind == ir::NodeKind::kCallable) {
      refuse("it calls `" + node.target + "`, which is no operator.");
    }
    for (const PublicName& each : kPublicNames) {
      if (node.target == each.internal) {
        node.target = each.name;
        node.arguments.resize(each.arguments);
      }
    }
    if (node.kind == ir::NodeKind::kConstant &&
        options.numberText(whole.constants().at(static_cast<size_t>(node.constant))).empty()) {
      node.kind = ir::NodeKind::kPlaceholder; // has no line of its own
      constants.push_back(id);
    }
  }
  try {
    language::Function program = parser::parseFunction(ir::graphCode(graph, options), {.file = "the Graph"});
    for (const ir::NodeId id : constants) {
      program.parameters.push_back(whole.node(id).name);
    }
    return program;
  } catch (const parser::ParseError& error) {
    refuse(error.what());
  }
}

/// The folder of Graphs and the part that a path names.
std::pair<std::filesystem::path, std::string> folderAndPart(const std::string& path) {
  std::filesystem::path whole = std::filesystem::absolute(path).lexically_normal();
  whole = whole.has_filename() ? whole : whole.parent_path(); // `graphs_0/`
  return graph_files::GraphFolder::isOne(whole) ? std::pair(whole, std::string(ir::kForwardStage))
                                                : std::pair(whole.parent_path(), whole.filename().string());
}

} // namespace

language::Case caseOfGraph(ir::Graph graph, const std::vector<at::Tensor>& inputs, InputValues values) {
  for (const ir::NodeId id : graph.placeholders()) {
    const std::optional<ir::TensorMetadata>& metadata = graph.node(id).metadata;
    if (metadata && !metadata->device.empty() && metadata->device != "cpu") {
      refuse("its tensors live on " + metadata->device + ".");
    }
  }
  if (inputs.size() != graph.placeholders().size()) {
    refuse(fmt::format("it has {} and was given {}.",
                       base::counted(static_cast<int64_t>(graph.placeholders().size()), "input"), inputs.size()));
  }
  std::vector<at::Tensor> tensors = inputs;
  graph = withPlainEffects(std::move(graph), tensors);
  rename(graph);
  std::vector<ir::NodeId> constants;
  const std::vector<ir::NodeId> placeholders = graph.placeholders();
  language::Case theCase;
  const language::Function program = programOf(graph, constants);
  for (const ir::NodeId id : constants) {
    tensors.push_back(runtime::constantOf(graph, graph.node(id)));
  }
  InputsWriter writer(tensors);
  for (size_t i = 0; i < tensors.size(); ++i) {
    const bool isConstant = i >= placeholders.size();
    const ir::NodeId id = isConstant ? constants[i - placeholders.size()] : placeholders[i];
    writer.add(i, graph.node(id).name, isConstant || values == InputValues::kKept);
  }
  try {
    theCase.functions = {parser::parseFunction(writer.text(), {.file = "the inputs", .maximumBytes = 8 << 20}),
                         program};
  } catch (const parser::ParseError& error) {
    refuse(error.message());
  }
  for (int64_t seed = 0; seed < 2; ++seed) {
    language::CallSpec call;
    call.inputs = "inputs";
    call.seed = seed;
    call.kind = "uniform";
    theCase.calls.push_back(call);
  }
  if (!writer.leftOut().empty()) {
    theCase.setHeader("note", fmt::format("not with the values that were kept: {}", fmt::join(writer.leftOut(), ", ")));
  }
  return theCase;
}

std::optional<GraphFolderCase> caseOfGraphFolder(const std::string& path) {
  const auto [whole, part] = folderAndPart(path);
  if (!graph_files::GraphFolder::isOne(whole) ||
      (std::filesystem::exists(path) && !std::filesystem::is_directory(path))) {
    return std::nullopt;
  }
  try {
    const graph_files::GraphFolder folder = graph_files::GraphFolder::open(whole);
    const std::vector<std::string> parts = folder.parts();
    if (std::find(parts.begin(), parts.end(), part) == parts.end()) {
      throw base::WrongUse(
          fmt::format("{}: there is no Graph `{}`, but: {}", whole.string(), part, fmt::join(parts, ", ")));
    }
    const std::optional<graph_files::GraphObservation> kept = folder.observation(part);
    const language::Case theCase =
        kept ? caseOfGraph(folder.graph(part), kept->inputs, InputValues::kKept)
             : caseOfGraph(folder.graph(part), graph_files::inputsLike(whole / part / "inputs.json"),
                           InputValues::kUnknown);
    return GraphFolderCase{parser::parsePrinted(standalone::printCase(theCase), path), folder.pipeline()};
  } catch (const base::WrongUse&) {
    throw;
  } catch (const std::runtime_error& error) { // Unsupported, GraphFileError, ParseError
    throw base::WrongUse(path + ": " + error.what());
  }
}

} // namespace touchstone::commands
