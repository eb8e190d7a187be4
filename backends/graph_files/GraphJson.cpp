#include "backends/graph_files/GraphJson.h"

#include "graph/ir/ArgumentText.h"
#include "graph/ir/CaseOperators.h"
#include "graph/ir/Unsupported.h"
#include "graph/runtime/Interpreter.h"
#include "program/torch_names/DenyList.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace touchstone::graph_files {

namespace {

using ir::Argument;
using ir::Node;
using ir::NodeKind;
using nlohmann::json;

constexpr std::array<const char*, 5> kKinds{"placeholder", "constant", "operator", "callable", "element"};
constexpr std::array<const char*, 4> kContainers{"list", "tuple", "size", "dict"};
constexpr int64_t kMostDtypes = 64;

struct ArgumentWriter {
  json operator()(std::monostate) const { return nullptr; }
  json operator()(ir::NodeReference value) const { return {{"node", value.node}}; }
  json operator()(bool value) const { return value; }
  json operator()(int64_t value) const { return value; }
  json operator()(double value) const { return doubleToJson(value); }
  json operator()(std::complex<double> value) const {
    return {{"complex", {doubleToJson(value.real()), doubleToJson(value.imag())}}};
  }
  json operator()(const std::string& value) const { return value; }
  json operator()(ir::DtypeConstant value) const { return {{"dtype", value.value}}; }
  json operator()(ir::LayoutConstant value) const { return {{"layout", value.value}}; }
  json operator()(ir::MemoryFormatConstant value) const { return {{"memory_format", value.value}}; }
  json operator()(const ir::DeviceConstant& value) const { return {{"device", value.text}}; }
  json operator()(const Argument::Container& container) const {
    json items = json::array();
    for (const Argument& item : container.items) {
      items.push_back(std::visit(*this, item.payload));
    }
    json object{{kContainers.at(static_cast<size_t>(container.kind)), std::move(items)}};
    if (container.kind == Argument::Container::Kind::kDict) {
      object["keys"] = container.keys;
    }
    return object;
  }
};

json argumentToJson(const Argument& argument) {
  return std::visit(ArgumentWriter{}, argument.payload);
}

Argument argumentFromJson(const json& object) {
  if (object.is_null()) {
    return {};
  }
  if (object.is_boolean()) {
    return {object.get<bool>()};
  }
  if (object.is_number_integer()) {
    return {object.get<int64_t>()};
  }
  if (object.is_string()) {
    return {object.get<std::string>()};
  }
  if (object.is_number_float() || object.contains("float")) {
    return {doubleFromJson(object)};
  }
  if (object.contains("node")) {
    return {ir::NodeReference{object.at("node").get<ir::NodeId>()}};
  }
  if (object.contains("complex")) {
    return {
        std::complex<double>(doubleFromJson(object.at("complex").at(0)), doubleFromJson(object.at("complex").at(1)))};
  }
  if (object.contains("dtype")) {
    return {ir::DtypeConstant{object.at("dtype").get<int64_t>()}};
  }
  if (object.contains("layout")) {
    return {ir::LayoutConstant{object.at("layout").get<int64_t>()}};
  }
  if (object.contains("memory_format")) {
    return {ir::MemoryFormatConstant{object.at("memory_format").get<int64_t>()}};
  }
  if (object.contains("device")) {
    return {ir::DeviceConstant{object.at("device").get<std::string>()}};
  }
  for (size_t kind = 0; kind < kContainers.size(); ++kind) {
    if (object.contains(kContainers[kind])) {
      Argument::Container container{.kind = static_cast<Argument::Container::Kind>(kind)};
      for (const json& item : object.at(kContainers[kind])) {
        container.items.push_back(argumentFromJson(item));
      }
      if (container.kind == Argument::Container::Kind::kDict) {
        container.keys = object.at("keys").get<std::vector<std::string>>();
        if (container.keys.size() != container.items.size()) {
          throw std::runtime_error("a dict has another number of keys than of values");
        }
      }
      return {std::move(container)};
    }
  }
  throw std::runtime_error("an argument is of no kind that a Graph can hold: " + object.dump());
}

json stateToJson(const ir::CallState& state) {
  return {{"grad", state.gradEnabled}, {"inference", state.inference}, {"autocast", state.autocast}};
}

ir::CallState stateFromJson(const json& object) {
  return {object.at("grad").get<bool>(), object.at("inference").get<bool>(), object.at("autocast").get<std::string>()};
}

json nodeToJson(const Node& node) {
  json object{{"kind", kKinds.at(static_cast<size_t>(node.kind))}, {"name", node.name}};
  const auto put = [&](const char* key, json value, bool holds) {
    if (holds) {
      object[key] = std::move(value);
    }
  };
  put("target", node.target, !node.target.empty());
  if (!node.arguments.empty()) {
    json& arguments = object["arguments"] = json::array();
    for (const Argument& argument : node.arguments) {
      arguments.push_back(argumentToJson(argument));
    }
  }
  put("constant", node.constant, node.constant >= 0);
  put("state", stateToJson(node.state), !(node.state == ir::CallState{}));
  if (node.metadata) {
    object["metadata"] = metadataToJson(*node.metadata);
    put("storage", node.metadata->storage, node.metadata->storage >= 0);
  }
  put("line", node.line, node.line != 0);
  put("writes", node.writes, !node.writes.empty());
  put("backward", true, node.backward);
  put("sequence", node.sequence, node.sequence >= 0);
  put("original", node.original, !node.original.empty() && node.original != node.target);
  return object;
}

bool isName(const std::string& text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char letter) {
    return std::isalnum(letter) != 0 || letter == '_' || letter >= 0x80;
  });
}

void checkOperator(const std::string& target) {
  const std::string name(ir::withoutOverload(target));
  if (const char* reason = torch_names::graphOperatorDenialReason(name)) {
    throw std::runtime_error("the operator `" + target + "` may not be called: " + reason);
  }
  if (!runtime::findOperator(target)) {
    throw std::runtime_error("there is no operator `" + target + "` in this libtorch");
  }
}

ir::NodeId addNode(ir::Graph& graph, const json& object, const std::vector<std::shared_ptr<const void>>& constants) {
  const std::string kind = object.at("kind").get<std::string>(), name = object.at("name").get<std::string>();
  if (!isName(name)) {
    throw std::runtime_error("`" + name + "` is no name of a node");
  }
  std::vector<Argument> arguments;
  for (const json& argument : object.value("arguments", json::array())) {
    arguments.push_back(argumentFromJson(argument));
  }
  if (kind == "placeholder") {
    return graph.addPlaceholder(name);
  }
  if (kind == "constant") {
    const auto position = object.at("constant").get<size_t>();
    if (position != graph.constants().size() || position >= constants.size()) {
      throw std::runtime_error(
          fmt::format("constant {} of node `{}` is not among the {} that there are", position, name, constants.size()));
    }
    return graph.addConstant(name, constants[position]);
  }
  if (kind == "operator") {
    const std::string target = object.at("target").get<std::string>();
    checkOperator(target);
    return graph.addOperator(target, std::move(arguments), stateFromJson(object.value("state", stateToJson({}))));
  }
  if (kind == "element") {
    const auto* whole = arguments.size() == 2 ? std::get_if<ir::NodeReference>(&arguments[0].payload) : nullptr;
    const auto* index = arguments.size() == 2 ? std::get_if<int64_t>(&arguments[1].payload) : nullptr;
    if (whole == nullptr || index == nullptr || *index < 0 || whole->node < 0 ||
        static_cast<size_t>(whole->node) >= graph.nodes().size()) {
      throw std::runtime_error("the element `" + name + "` does not say of what it is, and which");
    }
    return graph.addElement(whole->node, *index);
  }
  throw std::runtime_error("node `" + name + "` is of the kind `" + kind + "`, which no file holds");
}

} // namespace

json doubleToJson(double value) {
  if (std::isnan(value)) {
    return {{"float", "nan"}};
  }
  if (std::isinf(value)) {
    return {{"float", value > 0 ? "inf" : "-inf"}};
  }
  return value;
}

double doubleFromJson(const json& object) {
  if (object.is_number_float()) {
    return object.get<double>();
  }
  const std::string word = object.at("float").get<std::string>();
  if (word != "nan" && word != "inf" && word != "-inf") {
    throw std::runtime_error("`" + word + "` is no number");
  }
  const double infinity = std::numeric_limits<double>::infinity();
  return word == "nan" ? std::numeric_limits<double>::quiet_NaN() : word == "inf" ? infinity : -infinity;
}

json metadataToJson(const ir::TensorMetadata& metadata) {
  json object{{"dtype", metadata.dtype.value},
              {"dtype_name", ir::dtypeName(metadata.dtype)},
              {"sizes", metadata.sizes},
              {"strides", metadata.strides},
              {"offset", metadata.offset},
              {"device", metadata.device},
              {"requires_grad", metadata.requiresGrad}};
  if (metadata.conjugate || metadata.negative) {
    object["conjugate"] = metadata.conjugate;
    object["negative"] = metadata.negative;
  }
  return object;
}

ir::TensorMetadata metadataFromJson(const json& object) {
  ir::TensorMetadata metadata;
  metadata.dtype.value = object.at("dtype").get<int64_t>();
  if (metadata.dtype.value < 0 || metadata.dtype.value >= kMostDtypes) {
    throw std::runtime_error(fmt::format("{} is no dtype", metadata.dtype.value));
  }
  object.at("sizes").get_to(metadata.sizes);
  object.at("strides").get_to(metadata.strides);
  object.at("offset").get_to(metadata.offset);
  object.at("device").get_to(metadata.device);
  object.at("requires_grad").get_to(metadata.requiresGrad);
  metadata.conjugate = object.value("conjugate", false);
  metadata.negative = object.value("negative", false);
  const auto isNegative = [](int64_t number) { return number < 0; };
  if (metadata.offset < 0 || std::any_of(metadata.sizes.begin(), metadata.sizes.end(), isNegative) ||
      std::any_of(metadata.strides.begin(), metadata.strides.end(), isNegative)) {
    throw std::runtime_error("a size, a stride or an offset is below zero");
  }
  return metadata;
}

json graphToJson(const ir::Graph& graph) {
  json nodes = json::array();
  for (const Node& node : graph.nodes()) {
    if (node.kind == NodeKind::kCallable) {
      throw ir::Unsupported("the Graph calls `" + node.target + "`, which is no operator: a file cannot hold its code");
    }
    if (ir::isCaseOperator(node.target)) {
      throw ir::Unsupported("the Graph calls the custom operator `" + ir::withoutCaseMark(node.target) +
                            "` of its Case: a file cannot hold its code");
    }
    nodes.push_back(nodeToJson(node));
  }
  json storages = json::array();
  for (const ir::TracedStorage& storage : graph.storages) {
    storages.push_back(storage.bytes);
  }
  return {{"nodes", std::move(nodes)}, {"output", argumentToJson(graph.output)}, {"storages", std::move(storages)}};
}

ir::Graph graphFromJson(const json& object, const std::vector<std::shared_ptr<const void>>& constants) {
  ir::Graph graph;
  for (const json& each : object.at("nodes")) {
    const ir::NodeId id = addNode(graph, each, constants);
    Node& node = graph.node(id);
    node.name = each.at("name").get<std::string>();
    node.line = each.value("line", 0);
    node.backward = each.value("backward", false);
    node.sequence = each.value("sequence", int64_t{-1});
    node.original = each.value("original", "");
    node.writes = each.value("writes", std::vector<ir::NodeId>());
    if (std::any_of(node.writes.begin(), node.writes.end(), [&](ir::NodeId to) { return to < 0 || to >= id; })) {
      throw std::runtime_error("node `" + node.name + "` writes to what does not come before it");
    }
    if (each.contains("metadata")) {
      node.metadata = metadataFromJson(each.at("metadata"));
      node.metadata->storage = each.value("storage", -1);
    }
  }
  graph.output = argumentFromJson(object.at("output"));
  for (const json& bytes : object.at("storages")) {
    graph.storages.push_back({.bytes = bytes.get<int64_t>()});
  }
  graph.check();
  return graph;
}

} // namespace touchstone::graph_files
