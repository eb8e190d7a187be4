#include "backends/compiled_autograd/ScalarMove.h"

#include "graph/ir/Subgraph.h"

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <string_view>

namespace touchstone::compiled_autograd {

namespace {

using ir::Graph;
using ir::Node;
using ir::NodeId;

constexpr std::string_view kCpu = "cpu";

/// Operators of one result whose kernels do not tell a scalar that is a parameter from one in memory.
constexpr std::array<std::string_view, 6> kScalarUsers{"aten::add.Tensor",  "aten::add_.Tensor", "aten::sub.Tensor",
                                                       "aten::sub_.Tensor", "aten::mul.Tensor",  "aten::mul_.Tensor"};

/// Kernels compute in these themselves, so that a scalar that is cast beforehand is the one that is cast inside.
bool computesInItself(at::ScalarType dtype) {
  return dtype == at::kFloat || dtype == at::kDouble;
}

at::ScalarType dtypeOf(const Node& node) {
  return static_cast<at::ScalarType>(node.metadata->dtype.value);
}

class ScalarSearch {
 public:
  explicit ScalarSearch(const Graph& graph) : graph_(graph), readers_(graph.nodes().size()) {
    for (size_t i = 0; i < graph.nodes().size(); ++i) {
      ir::forEachOperand(graph.nodes()[i], [&](NodeId id) { readers_[static_cast<size_t>(id)].push_back(i); });
    }
    ir::forEachReference(graph.output, [&](NodeId id) { returned_.insert(id); });
  }

  ScalarMoves search() {
    std::set<std::string> devices;
    for (const Node& node : graph_.nodes()) {
      if (node.metadata && node.metadata->device != kCpu) {
        devices.insert(node.metadata->device);
      }
    }
    ScalarMoves moves;
    if (devices.size() != 1) {
      return moves;
    }
    accelerator_ = *devices.begin();
    for (size_t i = 0; i < graph_.placeholders().size(); ++i) {
      if (const auto dtype = dtypeWhenMoved(graph_.placeholders()[i])) {
        moves.scalars.push_back({i, *dtype});
      }
    }
    if (!moves.scalars.empty()) {
      moves.accelerator = c10::Device(accelerator_);
    }
    return moves;
  }

 private:
  /// The dtype that the scalar has on the accelerator; nothing: it stays.
  std::optional<at::ScalarType> dtypeWhenMoved(NodeId id) const {
    const Node& scalar = graph_.node(id);
    const auto& readers = readers_[static_cast<size_t>(id)];
    if (!scalar.metadata || scalar.metadata->device != kCpu || !scalar.metadata->sizes.empty() || readers.empty() ||
        returned_.contains(id) || isWritten(id)) {
      return std::nullopt;
    }
    std::optional<at::ScalarType> dtype;
    for (const size_t reader : readers) {
      const auto wanted = dtypeFor(graph_.nodes()[reader], id);
      if (!wanted || (dtype && *dtype != *wanted)) {
        return std::nullopt;
      }
      dtype = wanted;
    }
    return dtype;
  }

  /// What the reader would take in place of the scalar on the CPU.
  std::optional<at::ScalarType> dtypeFor(const Node& reader, NodeId scalar) const {
    const bool isKnown = std::find(kScalarUsers.begin(), kScalarUsers.end(), reader.target) != kScalarUsers.end();
    if (reader.kind != ir::NodeKind::kOperator || !isKnown || !reader.metadata ||
        reader.metadata->device != accelerator_) {
      return std::nullopt;
    }
    const at::ScalarType dtype = dtypeOf(reader);
    bool isAlike = true;
    ir::forEachOperand(reader, [&](NodeId id) {
      const Node& operand = graph_.node(id);
      isAlike = isAlike && (id == scalar || (operand.metadata && dtypeOf(operand) == dtype));
    });
    if (!isAlike || at::isComplexType(dtype) || (dtypeOf(graph_.node(scalar)) != dtype && !computesInItself(dtype))) {
      return std::nullopt;
    }
    return dtype;
  }

  bool isWritten(NodeId id) const {
    const int storage = graph_.node(id).metadata->storage;
    return std::any_of(graph_.nodes().begin(), graph_.nodes().end(), [&](const Node& node) {
      return std::any_of(node.writes.begin(), node.writes.end(), [&](NodeId written) {
        const auto& metadata = graph_.node(written).metadata;
        return written == id || (storage >= 0 && metadata && metadata->storage == storage);
      });
    });
  }

  const Graph& graph_;
  std::vector<std::vector<size_t>> readers_; // by node
  std::set<NodeId> returned_;
  std::string accelerator_;
};

} // namespace

ScalarMoves scalarsToMove(const Graph& graph) {
  return ScalarSearch(graph).search();
}

void noteMoves(const ScalarMoves& moves, Graph& graph) {
  for (const ScalarMove& move : moves.scalars) {
    auto& metadata = graph.node(graph.placeholders()[move.input]).metadata;
    metadata->device = moves.accelerator->str();
    metadata->dtype = {static_cast<int64_t>(move.dtype)};
  }
}

void moveScalars(const ScalarMoves& moves, std::vector<at::Tensor>& inputs) {
  for (const ScalarMove& move : moves.scalars) {
    inputs[move.input] = inputs[move.input].to(*moves.accelerator, move.dtype);
  }
}

} // namespace touchstone::compiled_autograd
