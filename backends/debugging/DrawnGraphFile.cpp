#include "backends/debugging/DrawnGraphFile.h"

#include "graph/ir/AtomicFile.h"
#include "graph/ir/GraphDrawing.h"
#include "graph/ir/Graphviz.h"
#include "graph/program/GraphCode.h"

#include <string>

namespace touchstone::backends {

namespace {

/// The first path without a file of either kind.
std::filesystem::path freeName(const std::filesystem::path& name) {
  const auto isTaken = [](const std::filesystem::path& path) {
    return std::filesystem::exists(path.string() + ".svg") || std::filesystem::exists(path.string() + ".dot");
  };
  std::filesystem::path path = name;
  for (int number = 1; isTaken(path); ++number) {
    path = name.string() + "_" + std::to_string(number);
  }
  return path;
}

} // namespace

std::filesystem::path drawGraphInto(const std::filesystem::path& name, const graph::Graph& graph, bool metadata) {
  graph::Graph shown = graph;
  for (size_t i = 0; i < shown.nodes().size() && !metadata; ++i) {
    shown.node(static_cast<graph::NodeId>(i)).metadata.reset();
  }
  graph::DrawnGraph drawn{.graph = &shown, .text = graph::libtorchTextOptions()};
  drawn.text.name = name.filename().string();
  drawn.returnsView = graph::returnsView;
  drawn.family = graph::familyOf;
  const std::string drawing = graph::graphDrawing({drawn});
  if (name.has_parent_path()) {
    std::error_code ignored; // writing says it better
    std::filesystem::create_directories(name.parent_path(), ignored);
  }
  const std::filesystem::path path = freeName(name);
  try {
    graph::writeSvg(drawing, path.string() + ".svg");
    return path.string() + ".svg";
  } catch (const graph::GraphvizUnavailable&) {
    if (!graph::writeNewFile(path.string() + ".dot", drawing)) { // somebody has taken the name since
      return drawGraphInto(name, graph, metadata);
    }
    return path.string() + ".dot";
  }
}

} // namespace touchstone::backends
