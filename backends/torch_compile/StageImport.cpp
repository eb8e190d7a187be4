#include "backends/torch_compile/StageImport.h"

#include "graph/ir/Arguments.h"
#include "graph/ir/Stages.h"
#include "graph/runtime/Interpreter.h"
#include "program/torch_names/ArgumentParser.h"
#include "program/values/Boxing.h"

#include <c10/core/MemoryFormat.h>
#include <c10/core/ScalarType.h>

#include <nlohmann/json.hpp>

#include <map>
#include <stdexcept>

namespace touchstone::torch_compile {

namespace {

using ir::Argument;
using ir::GraphSignature;
using ir::NodeId;
using nlohmann::json;

/// A Graph that cannot be taken over.
class NotImported : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

ir::DtypeConstant dtypeNamed(const std::string& name) {
  static const std::map<std::string, int64_t> numbers = [] {
    std::map<std::string, int64_t> all;
    for (int64_t number = 0; number < static_cast<int64_t>(c10::ScalarType::NumOptions); ++number) {
      all[ir::dtypeName({number})] = number;
    }
    return all;
  }();
  const auto known = numbers.find(name);
  if (known == numbers.end()) {
    throw NotImported("the dtype " + name);
  }
  return {known->second};
}

int64_t memoryFormatNamed(const std::string& name) {
  const std::map<std::string, c10::MemoryFormat> formats{{"contiguous_format", c10::MemoryFormat::Contiguous},
                                                         {"preserve_format", c10::MemoryFormat::Preserve},
                                                         {"channels_last", c10::MemoryFormat::ChannelsLast},
                                                         {"channels_last_3d", c10::MemoryFormat::ChannelsLast3d}};
  const auto known = formats.find(name);
  if (known == formats.end()) {
    throw NotImported("the memory format " + name);
  }
  return static_cast<int64_t>(known->second);
}

double numberOf(const json& value) {
  return value.is_object() ? std::stod(value.at("float").get<std::string>()) : value.get<double>();
}

ir::TensorMetadata metadataFrom(const json& value) {
  ir::TensorMetadata metadata;
  metadata.dtype = dtypeNamed(value.at("dtype"));
  metadata.sizes = value.at("sizes").get<std::vector<int64_t>>();
  metadata.strides = value.at("strides").get<std::vector<int64_t>>();
  metadata.offset = value.at("offset");
  metadata.device = value.at("device");
  metadata.requiresGrad = value.at("requires_grad");
  metadata.conjugate = value.at("conjugate");
  metadata.negative = value.at("negative");
  return metadata;
}

class GraphReader {
 public:
  explicit GraphReader(const std::vector<at::Tensor>& constants) : constants_(constants) {}

  ir::Graph read(const json& value) {
    for (const json& node : value.at("nodes")) {
      const NodeId id = add(node);
      graph_.node(id).backward = node.at("backward");
      if (!node.at("metadata").is_null()) {
        graph_.node(id).metadata = metadataFrom(node.at("metadata"));
      }
      nodes_[node.at("name")] = id;
    }
    std::vector<NodeId> outputs;
    for (const json& output : value.at("outputs")) {
      outputs.push_back(output.is_null() ? -1 : nodeNamed(output));
    }
    graph_.output = ir::nodeTuple(outputs);
    graph_.check();
    return std::move(graph_);
  }

 private:
  NodeId add(const json& node) {
    const std::string name = node.at("name");
    const std::string kind = node.at("kind");
    if (kind == "placeholder") {
      return graph_.addPlaceholder(name);
    }
    if (kind == "constant") {
      return graph_.addConstant(name, runtime::tensorConstant(constants_.at(node.at("constant").get<size_t>())));
    }
    if (kind == "element") {
      return graph_.addElement(nodeNamed(node.at("node")), node.at("index").get<int64_t>());
    }
    return addCall(node);
  }

  NodeId addCall(const json& node) {
    const std::string target = node.at("target");
    const auto found = runtime::findOperator(target);
    if (!found) {
      throw NotImported("the operator " + target + ", which this library does not have");
    }
    const c10::FunctionSchema& schema = found->schema();
    std::vector<Argument> arguments;
    std::vector<NodeId> writes;
    const json& positional = node.at("arguments");
    const json& keywords = node.at("keywords");
    for (size_t i = 0; i < schema.arguments().size(); ++i) {
      const c10::Argument& parameter = schema.arguments()[i];
      if (i < positional.size()) {
        arguments.push_back(argumentFor(parameter, positional[i]));
      } else if (keywords.contains(parameter.name())) {
        arguments.push_back(argumentFor(parameter, keywords.at(parameter.name())));
      } else if (parameter.default_value()) {
        arguments.push_back(
            values::unboxArgument(*parameter.default_value(), parameter, [](const at::Tensor&) { return Argument{}; }));
      } else {
        throw NotImported("a call of " + target + " without its argument " + parameter.name());
      }
      if (parameter.alias_info() != nullptr && parameter.alias_info()->isWrite()) {
        if (const auto* written = std::get_if<ir::NodeReference>(&arguments.back().payload)) {
          writes.push_back(written->node);
        }
      }
    }
    const NodeId id = graph_.addOperator(target, std::move(arguments));
    graph_.node(id).writes = std::move(writes);
    return id;
  }

  /// A number where the operator takes a tensor is the tensor that PyTorch makes of it.
  Argument argumentFor(const c10::Argument& parameter, const json& value) {
    Argument given = argument(value);
    const bool takesTensor = parameter.type()->isSubtypeOf(*c10::OptionalType::ofTensor());
    const std::optional<values::Value> number = takesTensor ? numberIn(given) : std::nullopt;
    return number ? ir::nodeArgument(
                        graph_.addConstant("number", runtime::tensorConstant(torch_names::wrapNumber(*number))))
                  : given;
  }

  static std::optional<values::Value> numberIn(const Argument& argument) {
    return std::visit(
        [](const auto& held) -> std::optional<values::Value> {
          using Held = std::decay_t<decltype(held)>;
          if constexpr (std::is_arithmetic_v<Held> || std::is_same_v<Held, std::complex<double>>) {
            return values::Value(values::Value::Payload(held));
          }
          return std::nullopt;
        },
        argument.payload);
  }

  Argument argument(const json& value) const {
    switch (value.type()) {
      case json::value_t::null: return {};
      case json::value_t::boolean: return Argument{value.get<bool>()};
      case json::value_t::number_integer:
      case json::value_t::number_unsigned: return Argument{value.get<int64_t>()};
      case json::value_t::number_float: return Argument{value.get<double>()};
      case json::value_t::string: return Argument{value.get<std::string>()};
      case json::value_t::array: {
        Argument::Container list;
        for (const json& item : value) {
          list.items.push_back(argument(item));
        }
        return Argument{std::move(list)};
      }
      default: break;
    }
    const std::string kind = value.items().begin().key();
    const json& held = value.items().begin().value();
    if (kind == "node") {
      return ir::nodeArgument(nodeNamed(held));
    }
    if (kind == "float") {
      return Argument{numberOf(value)};
    }
    if (kind == "complex") {
      return Argument{std::complex<double>(numberOf(held.at(0)), numberOf(held.at(1)))};
    }
    if (kind == "dtype") {
      return Argument{dtypeNamed(held)};
    }
    if (kind == "memory_format") {
      return Argument{ir::MemoryFormatConstant{memoryFormatNamed(held)}};
    }
    if (kind == "device") {
      return Argument{ir::DeviceConstant{held}};
    }
    if (kind == "layout" && held == "strided") {
      return Argument{ir::LayoutConstant{static_cast<int64_t>(c10::Layout::Strided)}};
    }
    throw NotImported("an argument `" + kind + "`: " + held.dump());
  }

  NodeId nodeNamed(const std::string& name) const {
    const auto known = nodes_.find(name);
    if (known == nodes_.end()) {
      throw NotImported("a node that refers to `" + name + "`, which is not there");
    }
    return known->second;
  }

  const std::vector<at::Tensor>& constants_;
  ir::Graph graph_;
  std::map<std::string, NodeId> nodes_;
};

int optionalPosition(const json& value) {
  return value.is_null() ? -1 : value.get<int>();
}

ir::ValuePlace outputPlace(int position) {
  ir::ValuePlace place;
  place.output = position;
  return place;
}

ir::OutputClass outputClassNamed(const std::string& name) {
  return name == "input"                   ? ir::OutputClass::kInput
         : name == "alias_of_input"        ? ir::OutputClass::kAliasOfInput
         : name == "alias_of_intermediate" ? ir::OutputClass::kAliasOfIntermediate
                                           : ir::OutputClass::kFresh;
}

GraphSignature::Backward backwardFrom(const json& value) {
  GraphSignature::Backward backward;
  backward.stage = ir::kBackwardStage;
  for (const json& taken : value.at("takes")) {
    GraphSignature::Backward::Taken& entry = backward.takes.emplace_back();
    if (taken.contains("saved")) {
      entry.saved = optionalPosition(taken.at("saved"));
      continue;
    }
    entry.tangentOf.emplace();
    const json& tangent = taken.at("tangent");
    if (tangent.contains("output")) {
      entry.tangentOf->output = tangent.at("output");
    } else if (tangent.contains("input")) {
      entry.tangentOf->input = optionalPosition(tangent.at("input"));
    }
  }
  for (const json& gradient : value.at("gradients")) {
    backward.gradients.push_back(optionalPosition(gradient));
  }
  return backward;
}

GraphSignature signatureFrom(const json& value, const std::vector<std::string>& names, const ir::Graph* forward) {
  GraphSignature signature;
  for (const std::string& name : names) {
    signature.inputs.push_back({.name = name});
  }
  const json& takes = value.at("takes");
  for (size_t i = 0; i < takes.size(); ++i) {
    GraphSignature::Taken& taken = signature.takes.emplace_back();
    taken.input = optionalPosition(takes[i].at("input"));
    if (forward != nullptr) {
      taken.geometry = forward->node(forward->placeholders().at(i)).metadata;
    }
    if (taken.input >= 0 && taken.input < static_cast<int>(names.size())) {
      GraphSignature::Input& input = signature.inputs[static_cast<size_t>(taken.input)];
      input.requiresGrad = takes[i].at("requires_grad");
      input.dataMutated = takes[i].at("data_mutated");
      input.metadataMutated = takes[i].at("metadata_mutated");
    }
  }
  for (const json& each : value.at("written")) {
    const auto take = each.at("take").get<size_t>();
    signature.written.push_back(
        {signature.takes.at(take).input, outputPlace(each.at("position")), signature.takes.at(take).geometry});
  }
  for (const json& output : value.at("outputs")) {
    signature.outputs.push_back(
        {outputClassNamed(output.at("kind")), output.at("requires_grad"), outputPlace(output.at("position"))});
  }
  if (value.contains("backward")) {
    signature.backwards.push_back(backwardFrom(value.at("backward")));
  }
  return signature;
}

} // namespace

std::vector<ir::StageArtifacts> importStages(const std::string& text, const std::vector<at::Tensor>& constants) {
  std::vector<ir::StageArtifacts> frames;
  for (const json& frame : json::parse(text)) {
    ir::StageArtifacts& artifacts = frames.emplace_back();
    for (const char* stage : {ir::kJointStage, ir::kForwardStage, ir::kBackwardStage}) {
      if (!frame.at("graphs").contains(stage)) {
        continue;
      }
      const json& value = frame.at("graphs").at(stage);
      if (value.contains("refused")) {
        artifacts.refused.emplace_back(stage, value.at("refused"));
        continue;
      }
      try {
        artifacts.graphs.emplace_back(stage, GraphReader(constants).read(value));
      } catch (const NotImported& reason) {
        artifacts.refused.emplace_back(stage, reason.what());
      }
    }
    for (const json& saved : frame.at("signature").value("saved", json::array())) {
      artifacts.partition.saved.push_back(saved.is_null() ? "" : saved.get<std::string>());
    }
    artifacts.signature = signatureFrom(frame.at("signature"), frame.at("names").get<std::vector<std::string>>(),
                                        artifacts.graph(ir::kForwardStage));
  }
  return frames;
}

} // namespace touchstone::torch_compile
