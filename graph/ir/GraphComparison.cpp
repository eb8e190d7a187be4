#include "graph/ir/GraphComparison.h"

#include "graph/ir/ArgumentText.h"
#include "graph/ir/Subgraph.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>

namespace touchstone::ir {

namespace {

/// Of a tangent without the number of a node, which it has where the Graph had one of that name before.
std::string inputName(const Node& node) {
  static constexpr std::string_view kTangent = "tangent_";
  return node.name.starts_with(kTangent) ? node.name.substr(0, node.name.find('_', kTangent.size())) : node.name;
}

/// What makes two nodes candidates for being the same; the rest is compared then.
std::string kindText(const Node& node) {
  switch (node.kind) {
    case NodeKind::kPlaceholder: return "(input " + inputName(node) + ")";
    case NodeKind::kConstant: return "(constant)";
    case NodeKind::kElement: return "(element)";
    default: return node.target;
  }
}

/// Of an element: which result of which operator it is. An element that the forward saved is an input of the backward and
/// still has its name: `sort_1_element_0`, of ATen.
void noteResult(const Graph& graph, const Node& node, GraphDifference::Detail& detail) {
  static constexpr std::string_view kElement = "_element_";
  const size_t at = node.name.find(kElement);
  if (node.kind == NodeKind::kElement) {
    forEachOperand(node, [&](NodeId id) { detail.resultOf = graph.node(id).target; });
    const auto* index = node.arguments.size() > 1 ? std::get_if<int64_t>(&node.arguments[1].payload) : nullptr;
    detail.index = index != nullptr ? *index : -1;
  } else if (node.kind == NodeKind::kPlaceholder && at != std::string::npos) {
    std::string target = "aten::" + node.name.substr(0, at);
    const size_t number = target.find_last_not_of("0123456789");
    target.resize(number + 1 < target.size() && target[number] == '_' ? number : target.size());
    detail.resultOf = std::move(target);
    detail.index = std::atoll(node.name.c_str() + at + kElement.size());
  }
  detail.isEmptyOnLeft = node.metadata && std::find(node.metadata->sizes.begin(), node.metadata->sizes.end(), 0) !=
                                              node.metadata->sizes.end();
}

class GraphMatch {
 public:
  GraphMatch(const Graph& left, const Graph& right)
      : left_(left), right_(right), rightOf_(left.nodes().size(), -1), leftOf_(right.nodes().size(), -1) {
    align();
  }

  GraphDifference difference() {
    GraphDifference found;
    size_t i = 0, j = 0;
    while (i < rightOf_.size() || j < leftOf_.size()) {
      GraphDifference::Replacement replaced;
      for (; i < rightOf_.size() && rightOf_[i] < 0; ++i) {
        note(left_.nodes()[i], replaced.left);
      }
      for (; j < leftOf_.size() && leftOf_[j] < 0; ++j) {
        note(right_.nodes()[j], replaced.right);
      }
      if (!replaced.left.empty() || !replaced.right.empty()) {
        found.replacements.push_back(std::move(replaced));
      }
      if (i < rightOf_.size()) {
        compareNodes(left_.nodes()[i++], right_.nodes()[j++], found.details);
      }
    }
    compareArguments("the output", itemsOf(left_.output), itemsOf(right_.output), found.details);
    return found;
  }

 private:
  /// Elements go with their tuples, constants with who reads them.
  static void note(const Node& node, std::vector<std::string>& targets) {
    if (node.kind != NodeKind::kElement && node.kind != NodeKind::kConstant) {
      targets.push_back(kindText(node));
    }
  }

  /// The longest common subsequence, by dynamic programming (Wagner and Fischer, 1974); equal beginnings and ends are taken off.
  void align() {
    std::vector<std::string> a, b;
    for (const Node& node : left_.nodes()) {
      a.push_back(kindText(node));
    }
    for (const Node& node : right_.nodes()) {
      b.push_back(kindText(node));
    }
    size_t begin = 0, endA = a.size(), endB = b.size();
    const auto match = [&](size_t i, size_t j) {
      rightOf_[i] = static_cast<NodeId>(j);
      leftOf_[j] = static_cast<NodeId>(i);
    };
    for (; begin < endA && begin < endB && a[begin] == b[begin]; ++begin) {
      match(begin, begin);
    }
    for (; endA > begin && endB > begin && a[endA - 1] == b[endB - 1]; --endA, --endB) {
      match(endA - 1, endB - 1);
    }
    const size_t width = endB - begin + 1;
    std::vector<int> longest((endA - begin + 1) * width, 0); // of the rest from here on
    const auto at = [&](size_t i, size_t j) -> int& { return longest[(i - begin) * width + (j - begin)]; };
    for (size_t i = endA; i-- > begin;) {
      for (size_t j = endB; j-- > begin;) {
        at(i, j) = a[i] == b[j] ? at(i + 1, j + 1) + 1 : std::max(at(i + 1, j), at(i, j + 1));
      }
    }
    for (size_t i = begin, j = begin; i < endA && j < endB;) {
      if (a[i] == b[j] && at(i, j) == at(i + 1, j + 1) + 1) {
        match(i++, j++);
      } else {
        at(i + 1, j) >= at(i, j + 1) ? ++i : ++j;
      }
    }
  }

  /// A node by its number on the left; `?`: the other Graph has none like it.
  std::string numberText(NodeId id, bool isLeft) const {
    const NodeId other = (isLeft ? rightOf_ : leftOf_)[static_cast<size_t>(id)];
    return other < 0 ? "?" : "%" + std::to_string(isLeft ? id : other);
  }

  static Argument withoutDevices(Argument argument) {
    if (std::holds_alternative<DeviceConstant>(argument.payload)) {
      return {};
    }
    if (auto* container = std::get_if<Argument::Container>(&argument.payload)) {
      for (Argument& item : container->items) {
        item = withoutDevices(std::move(item));
      }
    }
    return argument;
  }

  std::string textOf(const Argument& argument, bool isLeft) const {
    return argumentText(withoutDevices(argument), [&](NodeId id) { return numberText(id, isLeft); });
  }

  std::string effectText(const Node& node, bool isLeft) const {
    std::string text;
    for (const NodeId id : node.writes) {
      text += " writes " + numberText(id, isLeft);
    }
    return text + (node.backward ? " in the backward" : " in the forward");
  }

  static std::string typeText(const Node& node) {
    if (!node.metadata) {
      return "";
    }
    return tensorTypeText(*node.metadata) +
           (node.metadata->offset != 0 ? " at " + std::to_string(node.metadata->offset) : "") +
           (node.metadata->conjugate ? " conjugated lazily" : "") + (node.metadata->negative ? " negated lazily" : "");
  }

  /// The same, as far as both do not refer to what only one of the Graphs has.
  void compareArguments(const std::string& what, const std::vector<Argument>& left, const std::vector<Argument>& right,
                        std::vector<GraphDifference::Detail>& details) const {
    if (left.size() != right.size()) {
      details.push_back({what + ": " + std::to_string(left.size()) + " values and " + std::to_string(right.size())});
      return;
    }
    for (size_t i = 0; i < left.size(); ++i) {
      const std::string ofLeft = textOf(left[i], true), ofRight = textOf(right[i], false);
      const bool isOfOneAlone = ofLeft.find('?') != std::string::npos && ofRight.find('?') != std::string::npos;
      if (ofLeft != ofRight && !isOfOneAlone) {
        details.push_back({.text = what + ": " + ofLeft + " and " + ofRight});
      }
    }
  }

  static std::vector<Argument> itemsOf(const Argument& output) {
    const auto* container = std::get_if<Argument::Container>(&output.payload);
    return container != nullptr ? container->items : std::vector<Argument>{output};
  }

  void compareNodes(const Node& left, const Node& right, std::vector<GraphDifference::Detail>& details) const {
    const std::string what = left.name + " (" + kindText(left) + ")";
    compareArguments(what, left.arguments, right.arguments, details);
    if (effectText(left, true) != effectText(right, false)) {
      details.push_back({.text = what + ":" + effectText(left, true) + " and" + effectText(right, false)});
    }
    if (typeText(left) != typeText(right)) {
      details.push_back({.text = what + ": " + typeText(left) + " and " + typeText(right)});
      noteResult(left_, left, details.back());
    }
  }

  const Graph& left_;
  const Graph& right_;
  std::vector<NodeId> rightOf_, leftOf_; // by node; -1: none
};

} // namespace

GraphDifference compareButForDevices(const Graph& left, const Graph& right) {
  return GraphMatch(left, right).difference();
}

} // namespace touchstone::ir
