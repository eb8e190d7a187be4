#include "backends/debugging/DrawnGraphFile.h"

#include "base/AtomicFile.h"
#include "graph/ir/GraphDrawing.h"
#include "graph/ir/Graphviz.h"
#include "graph/runtime/GraphCode.h"

#include <string>

namespace touchstone::debugging {

namespace {

struct Picture {
  std::string ending, text;
};

Picture pictureOf(const std::string& drawing) {
  try {
    return {".svg", ir::svgOf(drawing)};
  } catch (const ir::GraphvizUnavailable&) {
    return {".dot", drawing};
  }
}

/// Writes the first file of this name, with a number behind it from the second one on, that nobody has.
std::filesystem::path writeUnderFreeName(const std::filesystem::path& name, const Picture& picture) {
  for (int number = 0;; ++number) {
    const std::string path = name.string() + (number == 0 ? "" : "_" + std::to_string(number));
    const bool isTaken = std::filesystem::exists(path + ".svg") || std::filesystem::exists(path + ".dot");
    if (!isTaken && base::writeNewFile(path + picture.ending, picture.text)) {
      return path + picture.ending;
    }
  }
}

} // namespace

std::filesystem::path drawGraphInto(const std::filesystem::path& name, const ir::Graph& graph, bool metadata) {
  ir::Graph shown = graph;
  for (size_t i = 0; i < shown.nodes().size() && !metadata; ++i) {
    shown.node(static_cast<ir::NodeId>(i)).metadata.reset();
  }
  ir::DrawnGraph drawn{.graph = &shown, .text = runtime::libtorchTextOptions()};
  drawn.text.name = name.filename().string();
  drawn.returnsView = runtime::returnsView;
  drawn.family = runtime::familyOf;
  return writeUnderFreeName(name, pictureOf(ir::graphDrawing({drawn})));
}

} // namespace touchstone::debugging
