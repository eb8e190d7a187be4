#include "backends/debugging/DrawnGraphFile.h"

#include "base/AtomicFile.h"
#include "graph/ir/GraphDrawing.h"
#include "graph/ir/Graphviz.h"
#include "graph/runtime/GraphCode.h"

#include <string>

namespace touchstone::backends {

namespace {

struct Picture {
  std::string ending, text;
};

Picture pictureOf(const std::string& drawing) {
  try {
    return {".svg", graph::svgOf(drawing)};
  } catch (const graph::GraphvizUnavailable&) {
    return {".dot", drawing};
  }
}

/// Writes the first file of this name, with a number behind it from the second one on, that nobody has.
std::filesystem::path writeUnderFreeName(const std::filesystem::path& name, const Picture& picture) {
  for (int number = 0;; ++number) {
    const std::string path = name.string() + (number == 0 ? "" : "_" + std::to_string(number));
    const bool isTaken = std::filesystem::exists(path + ".svg") || std::filesystem::exists(path + ".dot");
    if (!isTaken && graph::writeNewFile(path + picture.ending, picture.text)) {
      return path + picture.ending;
    }
  }
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
  return writeUnderFreeName(name, pictureOf(graph::graphDrawing({drawn})));
}

} // namespace touchstone::backends
