#include "graph/ir/StageArtifacts.h"

namespace touchstone::ir {

Graph* StageArtifacts::graph(const std::string& stage) {
  for (auto& [name, graph] : graphs) {
    if (name == stage) {
      return &graph;
    }
  }
  return nullptr;
}

const Graph* StageArtifacts::graph(const std::string& stage) const {
  for (const auto& [name, graph] : graphs) {
    if (name == stage) {
      return &graph;
    }
  }
  return nullptr;
}

const std::string* StageArtifacts::text(const std::string& stage) const {
  for (const auto& [name, text] : texts) {
    if (name == stage) {
      return &text;
    }
  }
  return nullptr;
}

} // namespace touchstone::ir
