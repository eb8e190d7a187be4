#include <touchstone/backend.hpp>

#include <string_view>
#include <utility>

using namespace touchstone::shared;

namespace {

/// Runs the graph operator by operator. A real backend would look at the nodes in its constructor and make code of them.
class NodeByNode final : public Compiled {
 public:
  explicit NodeByNode(Graph graph) : graph_(graph) {}

  Tensors run(Tensors inputs) const override {
    return graph_.interpret(std::move(inputs), [](const touchstone_node& node, Stack& stack, const auto& call) {
#ifdef SWAPS_SUB
      if (std::string_view(node.target) == "aten::sub.Tensor") {
        std::swap(stack[0], stack[1]); // the fault
      }
#endif
      call();
    });
  }

 private:
  Graph graph_;
};

struct Backend {
#ifdef SWAPS_SUB
  static constexpr const char* kName = "swapped_sub";
  static constexpr const char* kSummary = "WRONG ON PURPOSE: node by node, `b - a` where the program says `a - b`";
#else
  static constexpr const char* kName = "node_by_node";
  static constexpr const char* kSummary = "runs each graph node by node";
#endif

  std::unique_ptr<Compiled> compile(Graph graph) { return std::make_unique<NodeByNode>(graph); }
};

} // namespace

TOUCHSTONE_SHARED_BACKEND(Backend)
