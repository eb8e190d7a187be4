#include "backends/shared_library/SharedGraph.h"

#include "backends/shared_library/GraphView.h"
#include "graph/ir/Unsupported.h"
#include "graph/runtime/CallMode.h"
#include "program/values/RaisedException.h"

#include <exception>
#include <string>
#include <utility>

/// What a library says of a failure, or what was thrown by a function of touchstone_host that it called.
struct touchstone_error {
  std::string type = "RuntimeError", message;
  std::exception_ptr raised; // wins over the texts
};

namespace touchstone::shared_library {

namespace {

void fail(touchstone_error* error, const char* type, const char* message) {
  if (error != nullptr) {
    *error = {type != nullptr ? type : "RuntimeError", message != nullptr ? message : "", nullptr};
  }
}

/// Throws what a library's function left; `status` is not TOUCHSTONE_OK.
[[noreturn]] void rethrow(const touchstone_error& error, touchstone_status status, const char* function) {
  if (error.raised != nullptr) {
    std::rethrow_exception(error.raised);
  }
  if (status == TOUCHSTONE_UNSUPPORTED) {
    throw ir::Unsupported(error.message.empty() ? "the backend gives no reason" : error.message);
  }
  if (status != TOUCHSTONE_FAILED) {
    throw values::RaisedException("AssertionError", "the backend's `" + std::string(function) + "` returned " +
                                                        std::to_string(status) + ", which it may not");
  }
  throw values::RaisedException(
      error.type, error.message.empty() ? "the backend's `" + std::string(function) + "` failed and did not say why"
                                        : error.message);
}

/// Runs it; what it throws waits in `error` for the library to return.
template <class Work>
touchstone_status keepingExceptions(touchstone_error* error, Work work) noexcept {
  try {
    work();
    return TOUCHSTONE_OK;
  } catch (...) {
    if (error != nullptr) {
      error->raised = std::current_exception();
    }
    return TOUCHSTONE_FAILED;
  }
}

/// Hands each operator to the library.
class ShownOperators final : public runtime::CallMode {
 public:
  ShownOperators(const GraphView& view, touchstone_on_operator function, void* context)
      : view_(view), function_(function), context_(context) {}

  void onOperator(const ir::Node& node, const c10::OperatorHandle&, torch::jit::Stack& stack,
                  const std::function<void()>&) override {
    touchstone_error error;
    const touchstone_status status =
        function_(context_, &view_.shown(node), reinterpret_cast<touchstone_stack*>(&stack), &error);
    if (status != TOUCHSTONE_OK) {
      rethrow(error, status, "on_operator");
    }
  }

 private:
  const GraphView& view_;
  const touchstone_on_operator function_;
  void* const context_;
};

touchstone_status interpret(const touchstone_graph* graph, touchstone_tensor* const* inputs,
                            touchstone_tensor* const* outputs, touchstone_on_operator onOperator, void* context,
                            touchstone_error* error) {
  return keepingExceptions(error, [&] {
    const GraphView& view = GraphView::of(*graph);
    std::vector<at::Tensor> taken;
    for (int32_t i = 0; i < graph->input_count; ++i) {
      taken.push_back(std::move(*reinterpret_cast<at::Tensor*>(inputs[i])));
    }
    std::vector<at::Tensor> given;
    if (onOperator == nullptr) {
      given = view.interpreter().runFlat(std::move(taken));
    } else {
      ShownOperators mode(view, onOperator, context);
      given = view.interpreter().runFlat(std::move(taken), mode);
    }
    for (size_t i = 0; i < given.size(); ++i) {
      *reinterpret_cast<at::Tensor*>(outputs[i]) = std::move(given[i]);
    }
  });
}

touchstone_status call(const touchstone_node* node, touchstone_stack* stack, touchstone_error* error) {
  return keepingExceptions(error, [&] {
    const auto op = runtime::findOperator(node->target);
    TORCH_CHECK(node->kind == TOUCHSTONE_OPERATOR && op.has_value(), "node `", node->name, "` is no operator");
    op->callBoxed(reinterpret_cast<torch::jit::Stack*>(stack));
  });
}

constexpr touchstone_host kHost = {TOUCHSTONE_BACKEND_ABI, sizeof(touchstone_host), fail, interpret, call};

/// What a library made of a Graph.
class SharedGraph final : public backends::CompiledGraph {
 public:
  SharedGraph(const touchstone_backend& backend, ir::Graph graph, const std::vector<at::Tensor>& examples,
              touchstone_role role)
      : backend_(backend), view_(std::move(graph), examples, role) {
    touchstone_error error;
    const touchstone_status status = backend.compile(backend.state, &kHost, &view_.view(), &compiled_, &error);
    isCompiled_ = status != TOUCHSTONE_DECLINED;
    if (isCompiled_ && status != TOUCHSTONE_OK) {
      rethrow(error, status, "compile");
    }
  }

  ~SharedGraph() override {
    if (isCompiled_) {
      backend_.release(compiled_);
    }
  }

  bool isCompiled() const override { return isCompiled_; }

  std::vector<at::Tensor> run(std::vector<at::Tensor> inputs) const override {
    if (!isCompiled_) {
      return view_.interpreter().runFlat(std::move(inputs));
    }
    std::vector<at::Tensor> outputs(static_cast<size_t>(view_.view().output_count));
    const std::vector<touchstone_tensor*> given = handlesOf(inputs), wanted = handlesOf(outputs);
    touchstone_error error;
    const touchstone_status status = backend_.run(compiled_, given.data(), wanted.data(), &error);
    if (status != TOUCHSTONE_OK) {
      rethrow(error, status, "run");
    }
    return outputs;
  }

 private:
  static std::vector<touchstone_tensor*> handlesOf(std::vector<at::Tensor>& tensors) {
    std::vector<touchstone_tensor*> handles;
    for (at::Tensor& tensor : tensors) {
      handles.push_back(reinterpret_cast<touchstone_tensor*>(&tensor));
    }
    return handles;
  }

  const touchstone_backend& backend_;
  const GraphView view_;
  void* compiled_ = nullptr;
  bool isCompiled_ = false;
};

} // namespace

std::shared_ptr<const backends::CompiledGraph> compileShared(const touchstone_backend& backend, ir::Graph graph,
                                                             const std::vector<at::Tensor>& examples,
                                                             touchstone_role role) {
  return std::make_shared<const SharedGraph>(backend, std::move(graph), examples, role);
}

} // namespace touchstone::shared_library
