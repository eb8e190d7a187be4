#include "graph/ir/Graph.h"

#include <algorithm>
#include <cctype>
#include <stdexcept>

namespace touchstone::ir {

namespace {

/// `aten::add_.Tensor` → `add_`: the stem of a node's name.
std::string stemOfTarget(const std::string& target) {
  const std::string_view base = withoutOverload(target);
  const size_t library = base.find("::");
  const std::string stem(base.substr(library == std::string_view::npos ? 0 : library + 2));
  return stem.empty() ? "node" : stem;
}

void checkReferences(const Argument& argument, const Node& user, NodeId limit) {
  if (const auto* reference = std::get_if<NodeReference>(&argument.payload)) {
    if (reference->node < 0 || reference->node >= limit) {
      throw std::logic_error("node `" + user.name + "` refers to node " + std::to_string(reference->node) +
                             ", which does not come before it");
    }
  } else if (const auto* container = std::get_if<Argument::Container>(&argument.payload)) {
    for (const Argument& item : container->items) {
      checkReferences(item, user, limit);
    }
  }
}

} // namespace

std::string Graph::freshName(const std::string& wanted) {
  if (names_.insert(wanted).second) {
    return wanted;
  }
  // Node numbers only grow, so the first try is free unless a placeholder was given such a name.
  for (size_t number = nodes_.size();; ++number) {
    std::string name = wanted + "_" + std::to_string(number);
    if (names_.insert(name).second) {
      return name;
    }
  }
}

NodeId Graph::add(Node node) {
  node.name = freshName(node.name);
  nodes_.push_back(std::move(node));
  return static_cast<NodeId>(nodes_.size()) - 1;
}

void Graph::truncate(size_t nodes) {
  while (nodes_.size() > nodes) {
    if (nodes_.back().kind == NodeKind::kPlaceholder) {
      throw std::logic_error("a Graph is cut off before its placeholder `" + nodes_.back().name + "`");
    }
    names_.erase(nodes_.back().name);
    nodes_.pop_back();
  }
}

NodeId Graph::addPlaceholder(std::string name) {
  std::replace_if(
      name.begin(), name.end(), [](unsigned char letter) { return std::isalnum(letter) == 0; }, '_');
  NodeId id = add(Node{.kind = NodeKind::kPlaceholder, .name = std::move(name)});
  placeholders_.push_back(id);
  return id;
}

NodeId Graph::addConstant(std::string name, std::shared_ptr<const void> value) {
  constants_.push_back(std::move(value));
  return add(
      Node{.kind = NodeKind::kConstant, .name = std::move(name), .constant = static_cast<int>(constants_.size()) - 1});
}

NodeId Graph::addOperator(std::string target, std::vector<Argument> arguments, CallState state) {
  std::string stem = stemOfTarget(target);
  return add(Node{.kind = NodeKind::kOperator,
                  .name = std::move(stem),
                  .target = std::move(target),
                  .arguments = std::move(arguments),
                  .state = std::move(state)});
}

NodeId Graph::addCallable(std::string target, std::vector<Argument> arguments, std::shared_ptr<const void> callable,
                          CallState state) {
  callables_.push_back(std::move(callable));
  std::string stem = stemOfTarget(target);
  return add(Node{.kind = NodeKind::kCallable,
                  .name = std::move(stem),
                  .target = std::move(target),
                  .arguments = std::move(arguments),
                  .callable = static_cast<int>(callables_.size()) - 1,
                  .state = std::move(state)});
}

NodeId Graph::addElement(NodeId node, int64_t index) {
  return add(Node{.kind = NodeKind::kElement,
                  .name = this->node(node).name + "_element_" + std::to_string(index),
                  .arguments = {Argument{NodeReference{node}}, Argument{index}}});
}

int64_t Graph::operatorCount() const {
  return std::count_if(nodes_.begin(), nodes_.end(), [](const Node& node) {
    return node.kind == NodeKind::kOperator || node.kind == NodeKind::kCallable;
  });
}

void Graph::check() const {
  std::unordered_set<std::string> names;
  for (size_t i = 0; i < nodes_.size(); ++i) {
    if (!names.insert(nodes_[i].name).second) {
      throw std::logic_error("two nodes are named `" + nodes_[i].name + "`");
    }
    for (const Argument& argument : nodes_[i].arguments) {
      checkReferences(argument, nodes_[i], static_cast<NodeId>(i));
    }
  }
  checkReferences(output, Node{.name = "output"}, static_cast<NodeId>(nodes_.size()));
}

std::string_view withoutOverload(std::string_view target) {
  return target.substr(0, target.find('.'));
}

} // namespace touchstone::ir
