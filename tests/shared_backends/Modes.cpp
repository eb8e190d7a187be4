// A backend that does what the environment variable MODE says: `operators` sees each operator, the others are named below.
#include <touchstone/backend.hpp>

#include <ATen/Tensor.h>

#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

using namespace touchstone::shared;

namespace {

std::string mode() {
  const char* text = std::getenv("MODE");
  return text == nullptr ? "" : text;
}

class ByMode final : public Compiled {
 public:
  explicit ByMode(Graph graph) : graph_(graph), mode_(mode()) {}

  Tensors run(Tensors inputs) const override {
    if (mode_ == "run_throws") {
      throw std::runtime_error("the run gave up");
    }
    if (mode_ == "crashes") {
      std::abort();
    }
    if (mode_ == "too_few") {
      return {};
    }
    const bool isBackward = graph_.role() == TOUCHSTONE_BACKWARD;
    return graph_.interpret(std::move(inputs), [&](const touchstone_node& node, Stack& stack, const auto& call) {
      const std::string_view target = node.target;
      if (mode_ == "operator_throws" && target.starts_with("aten::sin")) {
        throw std::runtime_error("no sine today");
      }
      if (mode_ == "wrong_backward" && isBackward && target == "aten::mul.Tensor") {
        stack[0] = stack[0].toTensor().mul(2);
      }
      call();
    });
  }

 private:
  Graph graph_;
  std::string mode_;
};

struct Captured {
  static constexpr const char* kName = "by_mode";
  static constexpr const char* kSummary = "does what MODE says";

  std::unique_ptr<Compiled> compile(Graph graph) {
    const std::string wanted = mode();
    if (wanted == "compile_throws") {
      throw std::logic_error("no code for " + std::string(graph.nodes().back().target));
    }
    if (wanted == "unsupported") {
      throw Unsupported("graphs on a Tuesday");
    }
    if (wanted == "declines") {
      return nullptr;
    }
    for (const touchstone_node& node : graph.nodes()) { // what the view promises
      if (node.kind == TOUCHSTONE_OPERATOR && std::string_view(node.target).find("::") == std::string_view::npos) {
        throw std::logic_error("an operator without a name");
      }
      if (node.kind == TOUCHSTONE_INPUT && (node.metadata == nullptr || node.metadata->device == nullptr)) {
        throw std::logic_error("an input of which nothing is known");
      }
    }
    if (std::string_view(graph.code()).find("def ") == std::string_view::npos) {
      throw std::logic_error("a graph without code");
    }
    return std::make_unique<ByMode>(graph);
  }
};

struct Aot : Captured {
  static constexpr const char* kName = "by_mode_aot";
  static constexpr touchstone_level kLevel = TOUCHSTONE_LEVEL_AOT;
};

} // namespace

const touchstone_backend* touchstone_backend_v1(void) {
  const char* level = std::getenv("LEVEL");
  const bool isAot = level != nullptr && std::string_view(level) == "aot";
  return isAot ? touchstone::shared::detail::table<Aot>() : touchstone::shared::detail::table<Captured>();
}
