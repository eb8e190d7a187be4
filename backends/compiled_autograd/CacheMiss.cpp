#include "backends/compiled_autograd/CacheMiss.h"

#include "backends/compiled_autograd/NodeKey.h"

#include <fmt/format.h>

#include <optional>
#include <string_view>

namespace touchstone::compiled_autograd {

namespace {

constexpr const char* kState =
    "the state around the backward: autocast, retain_graph, deterministic algorithms, the "
    "layout of gradients or the default dtype";

std::vector<size_t> beginsOf(const BackwardKey& key) {
  std::vector<size_t> begins;
  for (const KeyedNode& node : key.nodes) {
    begins.push_back(node.keyBegin);
  }
  return begins;
}

std::string nameOfNode(const BackwardTask& task, size_t i) {
  return fmt::format("{} (NodeCall {})", task.nodes[i].node->name(), i);
}

/// What stands before the first node, and then the part of each node.
class Parts {
 public:
  Parts(std::string_view bytes, const std::vector<size_t>& begins) : bytes_(bytes), begins_(begins) {}
  size_t size() const { return begins_.size(); }
  std::string_view state() const { return bytes_.substr(0, begins_.empty() ? bytes_.size() : begins_[0]); }
  std::string_view operator[](size_t i) const {
    const size_t end = i + 1 < begins_.size() ? begins_[i + 1] : bytes_.size();
    return bytes_.substr(begins_[i], end - begins_[i]);
  }
  /// The types of a node.
  std::string_view typeOf(size_t i) const { return (*this)[i].substr(0, 2 * sizeof(uintptr_t)); }

 private:
  std::string_view bytes_;
  const std::vector<size_t>& begins_;
};

} // namespace

KnownKey::KnownKey(const BackwardTask& task, const BackwardKey& key)
    : bytes(key.bytes), begins(beginsOf(key)), names(namesOfNodes(task)) {}

std::vector<std::string> namesOfNodes(const BackwardTask& task) {
  std::vector<std::string> names;
  for (size_t i = 0; i < task.nodes.size(); ++i) {
    names.push_back(nameOfNode(task, i));
  }
  return names;
}

std::string reasonOfMiss(const BackwardTask& task, const BackwardKey& key, const KnownKey* nearest) {
  if (nearest == nullptr) {
    return "nothing is compiled yet";
  }
  const std::vector<size_t> begins = beginsOf(key);
  const Parts parts(key.bytes, begins), known(nearest->bytes, nearest->begins);
  if (parts.state() != known.state()) {
    return fmt::format("another than in what is compiled is {}", kState);
  }
  for (size_t i = 0; i < parts.size(); ++i) {
    if (i >= known.size()) {
      return fmt::format("{} has no counterpart in what is compiled", nameOfNode(task, i));
    }
    if (parts[i] != known[i]) {
      return fmt::format(
          "{} is another kind of node, or has other edges, hooks, dtypes or constants, or `.grad` is there "
          "or not, than in what is compiled",
          nameOfNode(task, i));
    }
  }
  return "what is compiled has more nodes";
}

std::vector<std::string> missByNode(const BackwardTask& task, const BackwardKey& key, const KnownKey& nearest) {
  const std::vector<size_t> begins = beginsOf(key);
  const std::vector<std::string> names = namesOfNodes(task);
  const Parts parts(key.bytes, begins), known(nearest.bytes, nearest.begins);
  std::vector<std::string> lines;
  if (parts.state() != known.state()) {
    lines.push_back(fmt::format("differs: {}", kState));
  }
  for (size_t i = 0; i < parts.size(); ++i) {
    if (i >= known.size()) {
      lines.push_back(fmt::format("{}: new, what is compiled has {} nodes", names[i], known.size()));
    } else if (parts[i] == known[i]) {
      lines.push_back(fmt::format("{}: the same", names[i]));
    } else if (parts.typeOf(i) != known.typeOf(i)) {
      lines.push_back(fmt::format("{}: another kind of node than {}", names[i], nearest.names[i]));
    } else {
      lines.push_back(
          fmt::format("{}: other edges, hooks, dtypes or constants, or another `.grad`: {} bytes of key, {} "
                      "in what is compiled",
                      names[i], parts[i].size(), known[i].size()));
    }
  }
  for (size_t i = parts.size(); i < known.size(); ++i) {
    lines.push_back(fmt::format("missing: {}", nearest.names[i]));
  }
  return lines;
}

} // namespace touchstone::compiled_autograd
