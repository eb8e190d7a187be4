#include "graph/ir/GraphDrawing.h"

#include "graph/ir/ArgumentText.h"
#include "graph/ir/Subgraph.h"

#include <algorithm>
#include <array>
#include <map>

namespace touchstone::ir {

namespace {

constexpr size_t kWidestArguments = 44; // characters; of a list of numbers no more is read anyway

constexpr size_t kEndsInARow = 3;

/// What a node is to the Graph: how it looks, and what the legend calls it.
enum class DrawnRole {
  kInput,
  kLearned,
  kTangent,
  kConstant,
  kOperator,
  kPointwise,
  kReduction,
  kMatrix,
  kRandom,
  kCreation,
  kLayout,
  kView,
  kMutation,
  kElement,
  kOutput,
  kGradient
};
struct RoleEntry {
  DrawnRole role;
  const char* legend;
  const char* look;
};
constexpr std::array kRoles{
    RoleEntry{DrawnRole::kInput, "input", R"(shape=ellipse fillcolor="#cfe8cf")"},
    RoleEntry{DrawnRole::kLearned, "input that requires grad", R"(shape=ellipse fillcolor="#8fcf8f")"},
    RoleEntry{DrawnRole::kTangent, "tangent", R"(shape=ellipse fillcolor="#f3c9e6")"},
    RoleEntry{DrawnRole::kConstant, "constant", R"(shape=note fillcolor="#eeeeee")"},
    RoleEntry{DrawnRole::kOperator, "operator", R"(shape=box fillcolor="#ffffff")"},
    RoleEntry{DrawnRole::kPointwise, "pointwise", R"(shape=box fillcolor="#dcebfa")"},
    RoleEntry{DrawnRole::kReduction, "reduction", R"(shape=box fillcolor="#ffe0b3")"},
    RoleEntry{DrawnRole::kMatrix, "matmul, convolution", R"(shape=box fillcolor="#e3d3f5")"},
    RoleEntry{DrawnRole::kRandom, "random", R"(shape=box fillcolor="#fff3a3")"},
    RoleEntry{DrawnRole::kCreation, "factory", R"(shape=box fillcolor="#d3efe9")"},
    RoleEntry{DrawnRole::kLayout, "copy, cast, concatenation", R"(shape=box fillcolor="#e6e2d8")"},
    RoleEntry{DrawnRole::kView, "view", R"(shape=box style="filled,dashed" fillcolor="#f4f4f4")"},
    RoleEntry{DrawnRole::kMutation, "writes to its argument", R"(shape=box fillcolor="#ffb3a7")"},
    RoleEntry{DrawnRole::kElement, "element of a tuple", R"(shape=box style="filled,dotted" fillcolor="#ffffff")"},
    RoleEntry{DrawnRole::kOutput, "output", R"(shape=house fillcolor="#d7d7f7")"},
    RoleEntry{DrawnRole::kGradient, "gradient", R"(shape=house fillcolor="#f3c9e6")"},
};
constexpr const char* kSavedLook = R"( penwidth=3 color="#c77700")";
constexpr const char* kSavedEdge = R"(color="#c77700" constraint=false)";
constexpr const char* kComputedAgainEdge = R"(color="#999999" style=dashed constraint=false)"; // from what is saved
constexpr const char* kWrittenEdge = R"(color="#cc2200" penwidth=2)";

const RoleEntry& entryOf(DrawnRole role) {
  return *std::find_if(kRoles.begin(), kRoles.end(), [&](const RoleEntry& each) { return each.role == role; });
}

/// Text inside of a label that Graphviz reads as HTML.
std::string labelText(const std::string& text) {
  std::string result;
  for (const char character : text) {
    switch (character) {
      case '&': result += "&amp;"; break;
      case '<': result += "&lt;"; break;
      case '>': result += "&gt;"; break;
      case '"': result += "&quot;"; break;
      case '\n': result += ' '; break;
      default: result += character;
    }
  }
  return result;
}

/// A quoted string of Graphviz's: it knows no escape but that of the quote, and reads some letters behind a backslash.
std::string quotedText(const std::string& text) {
  std::string result = "\"";
  for (const char character : text) {
    result += character == '"'    ? "\\\""
              : character == '\\' ? "\\\\"
              : character == '\n' ? " "
                                  : std::string(1, character);
  }
  return result + "\"";
}

/// `aten::sum.dim_IntList` → `sum.dim_IntList`; the namespace of others stays.
std::string operatorText(const std::string& target) {
  return target.starts_with("aten::") ? target.substr(6) : target;
}

class GraphPainter {
 public:
  /// `prefix`: of the names of nodes, which are one space for the whole picture.
  GraphPainter(const DrawnGraph& drawn, std::string prefix)
      : drawn_(drawn), graph_(*drawn.graph), prefix_(std::move(prefix)), roles_(graph_.nodes().size()) {
    const auto count = graph_.nodes().size();
    isBackward_ = drawn.part == DrawnPart::kBackward;
    inBackward_.assign(count, false);
    bool hasForward = false, hasBackward = false;
    for (const Node& node : graph_.nodes()) {
      if (isCall(node)) {
        (node.backward ? hasBackward : hasForward) = true;
      }
    }
    isJoint_ = hasForward && hasBackward && drawn.part == DrawnPart::kWhole;
    forEachReference(graph_.output, [&](NodeId id) { outputs_.push_back(id); });
    outputsShown_ = outputs_.size();
    if (drawn.part == DrawnPart::kForward) {
      outputsShown_ -= std::min(drawn.saved.size(), outputs_.size());
      savedOutputs_.insert(outputs_.begin() + static_cast<std::ptrdiff_t>(outputsShown_), outputs_.end());
    }
    readers_.resize(count);
    for (size_t i = 0; i < count; ++i) {
      for (const NodeId read : readBy(graph_.nodes()[i])) {
        readers_[static_cast<size_t>(read)].push_back(static_cast<NodeId>(i));
      }
    }
    for (size_t i = 0; i < count; ++i) {
      inBackward_[i] = isInBackward(i);
      roles_[i] = roleOf(i);
    }
  }

  std::string paint(std::set<DrawnRole>& roles, bool& hasSaved) {
    std::string forward, backward, edges;
    for (size_t i = 0; i < graph_.nodes().size(); ++i) {
      if (numberOf(graph_.nodes()[i]).empty()) {
        (inBackward_[i] ? backward : forward) += nodeText(i);
        roles.insert(roles_[i]);
        hasSaved = hasSaved || isSaved(i);
        edges += edgesInto(i);
        for (const NodeId written : graph_.nodes()[i].writes) {
          writers_[written] = static_cast<NodeId>(i);
        }
      }
    }
    edges += stackedEnds();
    for (size_t number = 0; number < outputsShown_; ++number) {
      const NodeId id = outputs_[number];
      const bool isGradient = inBackward_[static_cast<size_t>(id)] || isBackward_;
      const DrawnRole role = isGradient ? DrawnRole::kGradient : DrawnRole::kOutput;
      const std::string name = prefix_ + "output" + std::to_string(number);
      (isGradient ? backward : forward) +=
          "    " + name + " [label=" + quotedText(std::string(entryOf(role).legend) + " " + std::to_string(number)) +
          " " + entryOf(role).look + "];\n";
      roles.insert(role);
      edges += edge(nameOf(sourceOf(id)), name, isGradient && isJoint_, "");
    }
    return "  subgraph cluster_" + prefix_ + " {\n    label=" + quotedText(drawn_.text.name) +
           " fontsize=20 color=\"#999999\";\n" + box("forward", forward, isJoint_ || isBackward_) +
           box("backward", backward, isJoint_ || isBackward_) + "  }\n" + edges;
  }

 private:
  static bool isCall(const Node& node) { return node.kind == NodeKind::kOperator || node.kind == NodeKind::kCallable; }

  /// The nodes whose results a node takes, each once, in order.
  static std::vector<NodeId> readBy(const Node& node) {
    std::vector<NodeId> read;
    for (const Argument& argument : node.arguments) {
      forEachReference(argument, [&](NodeId id) {
        if (std::find(read.begin(), read.end(), id) == read.end()) {
          read.push_back(id);
        }
      });
    }
    return read;
  }

  /// An operator says so itself, an element is where its tuple is; what only the backward reads is a tangent, or a constant
  /// of its own.
  bool isInBackward(size_t position) const {
    const Node& node = graph_.nodes()[position];
    if (isCall(node)) {
      return node.backward;
    }
    if (node.kind == NodeKind::kElement) {
      return inBackward_[static_cast<size_t>(readBy(node).at(0))];
    }
    const std::vector<NodeId>& readers = readers_[position];
    return isJoint_ && !readers.empty() &&
           std::all_of(readers.begin(), readers.end(), [&](NodeId id) { return graph_.node(id).backward; });
  }

  DrawnRole roleOf(size_t position) const {
    const Node& node = graph_.nodes()[position];
    switch (node.kind) {
      case NodeKind::kPlaceholder:
        if (inBackward_[position] || (isBackward_ && !drawn_.saved.contains(node.name))) {
          return DrawnRole::kTangent;
        }
        return node.metadata && node.metadata->requiresGrad ? DrawnRole::kLearned : DrawnRole::kInput;
      case NodeKind::kConstant: return DrawnRole::kConstant;
      case NodeKind::kElement: return DrawnRole::kElement;
      default: break;
    }
    if (!node.writes.empty()) {
      return DrawnRole::kMutation;
    }
    if (drawn_.returnsView && drawn_.returnsView(node.target)) {
      return DrawnRole::kView;
    }
    return roleOfFamily(drawn_.family ? drawn_.family(node.target) : OperatorFamily::kOther);
  }

  static DrawnRole roleOfFamily(OperatorFamily family) {
    switch (family) {
      case OperatorFamily::kPointwise: return DrawnRole::kPointwise;
      case OperatorFamily::kReduction: return DrawnRole::kReduction;
      case OperatorFamily::kMatrix: return DrawnRole::kMatrix;
      case OperatorFamily::kRandom: return DrawnRole::kRandom;
      case OperatorFamily::kCreation: return DrawnRole::kCreation;
      case OperatorFamily::kLayout: return DrawnRole::kLayout;
      case OperatorFamily::kOther: break;
    }
    return DrawnRole::kOperator;
  }

  /// Kept for the backward; in a joint Graph that nobody has cut yet: read by it.
  bool isSaved(size_t position) const {
    if (drawn_.part == DrawnPart::kForward) {
      return savedOutputs_.contains(static_cast<NodeId>(position));
    }
    if (!drawn_.saved.empty()) {
      return drawn_.saved.contains(graph_.nodes()[position].name);
    }
    const std::vector<NodeId>& readers = readers_[position];
    return isJoint_ && !inBackward_[position] && graph_.nodes()[position].kind != NodeKind::kConstant &&
           std::any_of(readers.begin(), readers.end(), [&](NodeId id) { return inBackward_[static_cast<size_t>(id)]; });
  }

  /// Nodes that nothing in the picture reads, such as what is saved of one input in many forms, would make one wide row: those of one operand
  /// stand a few in a row, held there by edges that are not seen.
  std::string stackedEnds() const {
    std::map<NodeId, std::vector<NodeId>> ends; // by operand
    const auto shown =
        std::vector<NodeId>(outputs_.begin(), outputs_.begin() + static_cast<std::ptrdiff_t>(outputsShown_));
    for (size_t i = 0; i < graph_.nodes().size(); ++i) {
      const std::vector<NodeId> read = readBy(graph_.nodes()[i]);
      const auto id = static_cast<NodeId>(i);
      if (readers_[i].empty() && read.size() == 1 && std::find(shown.begin(), shown.end(), id) == shown.end()) {
        ends[read.front()].push_back(id);
      }
    }
    std::string text;
    for (const auto& [operand, nodes] : ends) {
      for (size_t i = kEndsInARow; i < nodes.size(); ++i) {
        text += edge(nameOf(nodes[i - kEndsInARow]), nameOf(nodes[i]), false, "style=invis");
      }
    }
    return text;
  }

  /// Where the value of a node is now that some have written to it.
  NodeId sourceOf(NodeId id) const {
    const auto writer = writers_.find(id);
    return writer == writers_.end() ? id : writer->second;
  }

  std::string nameOf(NodeId id) const { return prefix_ + "n" + std::to_string(id); }

  std::string numberOf(const Node& node) const {
    return node.kind == NodeKind::kConstant && drawn_.text.numberText
               ? drawn_.text.numberText(graph_.constants().at(static_cast<size_t>(node.constant)))
               : "";
  }

  std::string constantText(const Node& node) const {
    const std::string text = drawn_.text.constantText
                                 ? drawn_.text.constantText(graph_.constants().at(static_cast<size_t>(node.constant)))
                                 : "";
    return text.empty() ? "constants[" + std::to_string(node.constant) + "]" : text;
  }

  /// What a call is given besides tensors: `dim=[1], keepdim=True`. Defaults and None are left out.
  std::string constantArguments(const Node& node) const {
    std::vector<ParameterText> parameters;
    if (drawn_.text.parameters) {
      parameters = drawn_.text.parameters(node.target);
    }
    parameters.resize(node.arguments.size());
    std::string text;
    for (size_t i = 0; i < node.arguments.size(); ++i) {
      const Argument& argument = node.arguments[i];
      bool readsNode = false;
      forEachReference(argument, [&](NodeId id) { readsNode = readsNode || numberOf(graph_.node(id)).empty(); });
      if (readsNode || std::holds_alternative<std::monostate>(argument.payload) ||
          parameters[i].defaultValue == argument) {
        continue;
      }
      text += (text.empty() ? "" : ", ") + (parameters[i].name.empty() ? "" : parameters[i].name + "=") +
              argumentText(argument, [&](NodeId id) { return numberOf(graph_.node(id)); });
    }
    return text.size() <= kWidestArguments ? text : text.substr(0, kWidestArguments - 1) + "…";
  }

  std::string titleOf(const Node& node) const {
    switch (node.kind) {
      case NodeKind::kPlaceholder: return node.name;
      case NodeKind::kConstant: return constantText(node);
      case NodeKind::kElement:
        return "[" + argumentText(node.arguments.at(1), [&](NodeId id) { return graph_.node(id).name; }) + "]";
      default: return operatorText(node.target);
    }
  }

  std::string nodeText(size_t position) const {
    const Node& node = graph_.nodes()[position];
    std::string label = "<b>" + labelText(titleOf(node)) + "</b>";
    const auto addLine = [&](const std::string& text) {
      if (!text.empty()) {
        label += "<br/>" + text;
      }
    };
    if (isCall(node)) {
      const std::string arguments = constantArguments(node);
      addLine(arguments.empty() ? "" : "<i>" + labelText(arguments) + "</i>");
    }
    std::string written;
    for (const NodeId id : node.writes) {
      written += (written.empty() ? "writes " : ", ") + graph_.node(id).name;
    }
    addLine(labelText(written));
    std::string type = node.metadata ? tensorTypeText(*node.metadata) : "";
    if (node.metadata && !node.metadata->device.empty() && node.metadata->device != "cpu") {
      type += " on " + node.metadata->device;
    }
    addLine(labelText(isCall(node) && !type.empty() ? node.name + ": " + type : type));
    return "    " + nameOf(static_cast<NodeId>(position)) + " [label=<" + label + "> " +
           entryOf(roles_[position]).look + (isSaved(position) ? kSavedLook : "") + tooltip(node) + "];\n";
  }

  /// The Program's line, for those who point at a node.
  std::string tooltip(const Node& node) const {
    int line = node.line;
    if (node.backward) {
      const auto found = drawn_.text.lineOfSequence.find(node.sequence);
      line = found == drawn_.text.lineOfSequence.end() ? 0 : found->second;
    }
    if (line < 1 || static_cast<size_t>(line) > drawn_.text.source.size()) {
      return " tooltip=" + quotedText(node.name);
    }
    const std::string& source = drawn_.text.source[static_cast<size_t>(line) - 1];
    return " tooltip=" + quotedText(std::string(node.backward ? "backward of line " : "line ") + std::to_string(line) +
                                    ": " + source.substr(std::min(source.find_first_not_of(' '), source.size())));
  }

  /// `upwards`: the picture has the end of the edge above its beginning.
  static std::string edge(const std::string& from, const std::string& to, bool upwards, const std::string& look) {
    const std::string attributes =
        (upwards ? "dir=back" : "") + std::string(upwards && !look.empty() ? " " : "") + look;
    return "  " + (upwards ? to + " -> " + from : from + " -> " + to) +
           (attributes.empty() ? "" : " [" + attributes + "]") + ";\n";
  }

  std::string edgesInto(size_t position) const {
    const Node& node = graph_.nodes()[position];
    std::string text;
    for (const NodeId id : readBy(node)) {
      if (!numberOf(graph_.node(id)).empty()) {
        continue;
      }
      const bool isFromForward = isJoint_ && inBackward_[position] && !inBackward_[static_cast<size_t>(id)];
      const bool isWritten = std::find(node.writes.begin(), node.writes.end(), id) != node.writes.end();
      text += edge(nameOf(sourceOf(id)), nameOf(static_cast<NodeId>(position)),
                   isJoint_ && inBackward_[position] && !isFromForward,
                   isFromForward ? (isSaved(static_cast<size_t>(id)) ? kSavedEdge : kComputedAgainEdge)
                   : isWritten   ? kWrittenEdge
                                 : "");
    }
    return text;
  }

  std::string box(const std::string& part, const std::string& nodes, bool isBoxed) const {
    if (!isBoxed || nodes.empty()) {
      return nodes;
    }
    const bool isForward = part == "forward";
    const std::string title = isBackward_ ? (isForward ? "saved, and computed again" : "backward")
                              : isForward ? "forward"
                                          : "backward (upwards)";
    return "    subgraph cluster_" + prefix_ + part + " {\n    label=" + quotedText(title) +
           " style=filled color=" + (isForward ? "\"#f2f7ff\"" : "\"#fff4fb\"") + ";\n" + nodes + "    }\n";
  }

  const DrawnGraph& drawn_;
  const Graph& graph_;
  const std::string prefix_;
  std::vector<NodeId> outputs_;
  size_t outputsShown_ = 0; // from the first
  std::set<NodeId> savedOutputs_; // behind them
  std::map<NodeId, NodeId> writers_; // by node: the last that wrote to it, so far
  bool isBackward_ = false;
  bool isJoint_ = false;
  std::vector<bool> inBackward_;
  std::vector<std::vector<NodeId>> readers_; // by node
  std::vector<DrawnRole> roles_;
};

std::string legendText(const std::set<DrawnRole>& roles, bool hasSaved, bool isCut) {
  std::string text = "  subgraph cluster_legend {\n    label=\"legend\" color=\"#999999\";\n";
  std::string last;
  const auto add = [&](const std::string& words, const std::string& look) {
    const std::string name = "legend" + std::to_string(std::count(text.begin(), text.end(), '\n'));
    text += "    " + name + " [label=" + quotedText(words) + " " + look + "];\n";
    text += last.empty() ? "" : "    " + last + " -> " + name + " [style=invis];\n";
    last = name;
  };
  for (const RoleEntry& each : kRoles) {
    if (roles.contains(each.role)) {
      add(each.legend, each.look);
    }
  }
  if (hasSaved) {
    add(isCut ? "saved for the backward" : "read by the backward", std::string("shape=box") + kSavedLook);
  }
  return text + "  }\n";
}

} // namespace

std::string graphDrawing(const std::vector<DrawnGraph>& graphs) {
  std::string text =
      "digraph touchstone {\n  rankdir=TB; ranksep=0.3; nodesep=0.2; newrank=true;\n"
      "  node [fontname=\"Helvetica\" fontsize=11 style=filled fillcolor=white margin=\"0.08,0.04\" height=0.3];\n"
      "  edge [arrowsize=0.6 color=\"#444444\"];\n  graph [fontname=\"Helvetica\"];\n";
  std::set<DrawnRole> roles;
  bool hasSaved = false, isCut = false;
  for (size_t i = 0; i < graphs.size(); ++i) {
    text += GraphPainter(graphs[i], "g" + std::to_string(i) + "_").paint(roles, hasSaved);
    isCut = isCut || !graphs[i].saved.empty();
  }
  return text + legendText(roles, hasSaved, isCut) + "}\n";
}

} // namespace touchstone::ir
