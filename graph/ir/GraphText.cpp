#include "graph/ir/GraphText.h"

#include "graph/ir/ArgumentText.h"
#include "graph/ir/PythonNames.h"

#include <algorithm>
#include <cctype>

namespace touchstone::ir {

namespace {

constexpr size_t kWidestSignature = 110; // columns; a longer one takes a line a parameter

/// `BFloat16`, as the dispatcher calls it, in Python's words.
std::string autocastDtype(const std::string& name) {
  if (name == "Half") {
    return "torch.float16";
  }
  std::string lower = name;
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  return "torch." + (lower == "float" ? "float32" : lower);
}

std::string stateText(const CallState& state) {
  std::vector<std::string> parts;
  if (state.inference) {
    parts.emplace_back("torch.inference_mode()");
  } else if (!state.gradEnabled) {
    parts.emplace_back("torch.no_grad()");
  }
  if (!state.autocast.empty()) {
    parts.push_back("torch.autocast(\"cpu\", dtype=" + autocastDtype(state.autocast) + ")");
  }
  std::string text;
  for (const std::string& part : parts) {
    text += (text.empty() ? "with " : ", ") + part;
  }
  return text.empty() ? text : text + ":";
}

class GraphWriter {
 public:
  GraphWriter(const Graph& graph, const GraphTextOptions& options)
      : graph_(graph), options_(options), names_(pythonNames(graph)) {}

  std::string write() {
    writeSignature();
    for (const Node& node : graph_.nodes()) {
      if (node.kind != NodeKind::kPlaceholder && numberOf(node).empty()) {
        writeBoundary(node);
        writeNode(node);
      }
    }
    indent_ = 4;
    writeLine("return " + textOf(graph_.output));
    return std::move(text_);
  }

 private:
  const std::string& nameOf(const Node& node) const {
    return names_[static_cast<size_t>(&node - graph_.nodes().data())];
  }

  std::string annotated(const Node& node) const {
    return node.metadata ? nameOf(node) + ": \"" + tensorTypeText(*node.metadata) + "\"" : nameOf(node);
  }

  void writeLine(const std::string& line) { text_ += std::string(indent_, ' ') + line + "\n"; }

  void writeSignature() {
    std::vector<std::string> parameters;
    size_t width = options_.name.size();
    for (const NodeId id : graph_.placeholders()) {
      parameters.push_back(annotated(graph_.node(id)));
      width += parameters.back().size() + 2;
    }
    const bool isWide = width > kWidestSignature;
    text_ = "def " + options_.name + "(";
    for (size_t i = 0; i < parameters.size(); ++i) {
      text_ += (isWide  ? "\n    "
                : i > 0 ? " "
                        : "") +
               parameters[i] + (isWide || i + 1 < parameters.size() ? "," : "");
    }
    text_ += isWide ? "\n):\n" : "):\n";
  }

  /// What changes between the node before and this one: part, state, line.
  void writeBoundary(const Node& node) {
    if (node.kind != NodeKind::kOperator && node.kind != NodeKind::kCallable) {
      return;
    }
    if (node.backward && hasForward_ && !inBackward_) {
      closeState();
      text_ += "\n";
      writeLine("# backward");
      line_ = -1;
    }
    inBackward_ = inBackward_ || node.backward;
    hasForward_ = hasForward_ || !node.backward;
    if (options_.showState && !(node.state == state_)) {
      closeState();
      state_ = node.state;
      if (const std::string with = stateText(state_); !with.empty()) {
        writeLine(with);
        indent_ = 8;
      }
    }
    writeSourceLine(node);
    writeOrigin(node);
  }

  void writeOrigin(const Node& node) {
    const auto at = static_cast<size_t>(node.sequence);
    if (node.sequence >= 0 && at < options_.origins.size() && node.sequence != origin_) {
      origin_ = node.sequence;
      writeLine("# " + options_.origins[at]);
    }
  }

  void closeState() {
    state_ = {};
    indent_ = 4;
  }

  void writeSourceLine(const Node& node) {
    int line = node.line;
    if (node.backward) {
      const auto found = options_.lineOfSequence.find(node.sequence);
      line = found == options_.lineOfSequence.end() ? 0 : found->second;
    }
    if (line == line_ || line < 1 || static_cast<size_t>(line) > options_.source.size()) {
      return;
    }
    line_ = line;
    const std::string& source = options_.source[static_cast<size_t>(line) - 1];
    const size_t begin = std::min(source.find_first_not_of(' '), source.size());
    writeLine("# " + std::string(node.backward ? "backward of line " : "line ") + std::to_string(line) + ": " +
              source.substr(begin));
  }

  void writeNode(const Node& node) {
    std::string line = annotated(node) + " = ";
    switch (node.kind) {
      case NodeKind::kConstant: line += constantText(node); break;
      case NodeKind::kCallable: line += callableText(node) + "(" + callArguments(node) + ")"; break;
      case NodeKind::kElement: line += textOf(node.arguments.at(0)) + "[" + textOf(node.arguments.at(1)) + "]"; break;
      default: line += pythonOperator(node.target) + "(" + callArguments(node) + ")"; break;
    }
    writeLine(line + remarks(node));
  }

  std::string callableText(const Node& node) const {
    return options_.isRunnable ? "callables[" + quotedPython(node.target) + "]" : pythonOperator(node.target);
  }

  /// A number that stands where it is used; empty: a node like others.
  std::string numberOf(const Node& node) const {
    return node.kind == NodeKind::kConstant && options_.numberText
               ? options_.numberText(graph_.constants().at(static_cast<size_t>(node.constant)))
               : "";
  }

  std::string textOf(const Argument& argument) const {
    return argumentText(argument, [this](NodeId id) {
      const std::string number = numberOf(graph_.node(id));
      return number.empty() ? nameOf(graph_.node(id)) : number;
    });
  }

  std::string constantText(const Node& node) const {
    const std::string text =
        options_.constantText ? options_.constantText(graph_.constants().at(static_cast<size_t>(node.constant))) : "";
    return text.empty() ? "constants[" + std::to_string(node.constant) + "]" : text;
  }

  std::string callArguments(const Node& node) const {
    std::vector<ParameterText> parameters;
    if (options_.parameters) {
      parameters = options_.parameters(node.target);
    }
    parameters.resize(node.arguments.size());
    auto isDefault = [&](size_t i) { return parameters[i].defaultValue == node.arguments[i]; };
    size_t shown = 0; // by position, up to the last that is no default
    for (size_t i = 0; i < parameters.size(); ++i) {
      shown = parameters[i].isKeywordOnly || isDefault(i) ? shown : i + 1;
    }
    std::string text;
    for (size_t i = 0; i < parameters.size(); ++i) {
      const bool byName = parameters[i].isKeywordOnly;
      if (byName ? !isDefault(i) : i < shown) {
        text += (text.empty() ? "" : ", ") + (byName ? parameters[i].name + "=" : "") + textOf(node.arguments[i]);
      }
    }
    return text;
  }

  /// `of aten::silu, line 14: y = silu(x), number 3`
  std::string metadataText(const Node& node) const {
    std::string text = "of " + (node.original.empty() ? node.target : node.original);
    if (node.line > 0) {
      text += ", line " + std::to_string(node.line);
      if (static_cast<size_t>(node.line) <= options_.source.size()) {
        const std::string& source = options_.source[static_cast<size_t>(node.line) - 1];
        text += ": " + source.substr(std::min(source.find_first_not_of(' '), source.size()));
      }
    }
    return text + (node.sequence < 0 ? "" : ", number " + std::to_string(node.sequence));
  }

  std::string remarks(const Node& node) const {
    std::vector<std::string> parts;
    if (!node.writes.empty()) {
      std::string names;
      for (const NodeId written : node.writes) {
        names += (names.empty() ? "" : ", ") + nameOf(graph_.node(written));
      }
      parts.push_back("writes " + names);
    }
    if (node.metadata) {
      const TensorMetadata& metadata = *node.metadata;
      auto add = [&](bool holds, const std::string& text) {
        if (holds) {
          parts.push_back(text);
        }
      };
      add(metadata.offset != 0, "offset " + std::to_string(metadata.offset));
      add(metadata.conjugate, "conjugated lazily");
      add(metadata.negative, "negated lazily");
      add(metadata.requiresGrad, "requires grad");
      add(!metadata.device.empty() && (options_.showDevices || metadata.device != "cpu"), "on " + metadata.device);
    }
    if (options_.showMetadata && node.kind == NodeKind::kOperator) {
      parts.push_back(metadataText(node));
    }
    std::string text;
    for (const std::string& part : parts) {
      text += (text.empty() ? "  # " : "; ") + part;
    }
    return text;
  }

  const Graph& graph_;
  const GraphTextOptions& options_;
  const std::vector<std::string> names_; // by node
  std::string text_;
  size_t indent_ = 4;
  bool hasForward_ = false, inBackward_ = false;
  CallState state_;
  int line_ = 0;
  int64_t origin_ = -1; // `sequence` of the nodes that are being written
};

} // namespace

std::string graphCode(const Graph& graph, const GraphTextOptions& options) {
  return GraphWriter(graph, options).write();
}

std::string printGraph(const Graph& graph, const std::string& name) {
  GraphTextOptions options;
  options.name = name;
  return graphCode(graph, options);
}

std::map<int64_t, int> linesBySequence(const Graph& recorded) {
  std::map<int64_t, int> lines;
  for (const Node& node : recorded.nodes()) {
    if (node.kind == NodeKind::kOperator && !node.backward && node.sequence >= 0) {
      lines.try_emplace(node.sequence, node.line); // a later call without a node of its own repeats the number
    }
  }
  return lines;
}

} // namespace touchstone::ir
