#include <touchstone/compilers.h>
#include <touchstone/property.h>

#include <utility>

using namespace touchstone;

namespace {

/// A compiler of captured graphs; a real one would make code of the nodes.
aot::GraphFunction NodeByNode(const ir::Graph& graph, const aot::Tensors&) {
  return aot::interpret(graph);
}

/// The same, `b - a` where the program says `a - b`.
aot::GraphFunction SwappedSub(ir::Graph graph, const aot::Tensors&) {
  for (ir::NodeId id = 0; id < static_cast<ir::NodeId>(graph.nodes().size()); ++id) {
    ir::Node& node = graph.node(id);
    if (node.target == "aten::sub.Tensor") {
      std::swap(node.arguments[0], node.arguments[1]); // the fault
    }
  }
  return aot::interpret(std::move(graph));
}

/// Compilers of the forward and backward graphs of AOT autograd.
const aot::Options MemoryEfficient = {.forwardCompiler = aot::nop(), .partition = aot::Partition::kMinCut};

/// A backend of `touchstone backends`.
const char* const AotEager = "aot_eager";

} // namespace

TOUCHSTONE_PROPERTY(NodeByNode)
TOUCHSTONE_PROPERTY(MemoryEfficient, .cases = 50, .without = {"modules"})
TOUCHSTONE_PROPERTY(AotEager, .cases = 50, .dtypes = {"float32", "int64"})
TOUCHSTONE_PROPERTY(SwappedSub, .reduceSeconds = 20)
