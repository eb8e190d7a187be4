#include "backends/shared_library/SharedGraph.h"

#include "backends/shared_library/GraphView.h"
#include "graph/ir/Unsupported.h"
#include "graph/runtime/StackMode.h"
#include "program/values/RaisedException.h"

#include <c10/util/ScopeExit.h>

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

/// A call that a library is shown on this thread: what touchstone_host::call does of it.
struct ShownCall {
  const touchstone_node& node;
  torch::jit::Stack& stack;
  const std::function<void()>& next;
};
thread_local const ShownCall* shownCall = nullptr;

/// Hands each call to the library.
class ShownCalls final : public runtime::StackMode {
 public:
  ShownCalls(const GraphView& view, bool seesCallables, touchstone_on_operator function, void* context)
      : view_(view), seesCallables_(seesCallables), function_(function), context_(context) {}

  void onCall(const ir::Node& node, torch::jit::Stack& stack, const std::function<void()>& next) override {
    if (node.kind == ir::NodeKind::kCallable && !seesCallables_) {
      return next();
    }
    const ShownCall call{view_.shown(node), stack, next};
    const ShownCall* const outer = std::exchange(shownCall, &call);
    const auto left = c10::make_scope_exit([&] { shownCall = outer; });
    touchstone_error error;
    const touchstone_status status =
        function_(context_, &call.node, reinterpret_cast<touchstone_stack*>(&stack), &error);
    if (status != TOUCHSTONE_OK) {
      rethrow(error, status, "on_operator");
    }
  }

 private:
  const GraphView& view_;
  const bool seesCallables_;
  const touchstone_on_operator function_;
  void* const context_;
};

touchstone_status runShowing(bool seesCallables, const touchstone_graph* graph, touchstone_tensor* const* inputs,
                             touchstone_tensor* const* outputs, touchstone_on_operator onCall, void* context,
                             touchstone_error* error) {
  return keepingExceptions(error, [&] {
    const GraphView& view = GraphView::of(*graph);
    std::vector<at::Tensor> taken;
    for (int32_t i = 0; i < graph->input_count; ++i) {
      taken.push_back(std::move(*reinterpret_cast<at::Tensor*>(inputs[i])));
    }
    std::vector<at::Tensor> given;
    if (onCall == nullptr) {
      given = view.interpreter().runFlat(std::move(taken));
    } else {
      ShownCalls mode(view, seesCallables, onCall, context);
      given = view.interpreter().runFlat(std::move(taken), mode);
    }
    for (size_t i = 0; i < given.size(); ++i) {
      *reinterpret_cast<at::Tensor*>(outputs[i]) = std::move(given[i]);
    }
  });
}

touchstone_status interpret(const touchstone_graph* graph, touchstone_tensor* const* inputs,
                            touchstone_tensor* const* outputs, touchstone_on_operator onOperator, void* context,
                            touchstone_error* error) {
  return runShowing(false, graph, inputs, outputs, onOperator, context, error);
}

touchstone_status interpretCalls(const touchstone_graph* graph, touchstone_tensor* const* inputs,
                                 touchstone_tensor* const* outputs, touchstone_on_operator onCall, void* context,
                                 touchstone_error* error) {
  return runShowing(true, graph, inputs, outputs, onCall, context, error);
}

/// The call that the library is shown is passed on; any other operator is called as it is.
touchstone_status call(const touchstone_node* node, touchstone_stack* stack, touchstone_error* error) {
  return keepingExceptions(error, [&] {
    auto& values = *reinterpret_cast<torch::jit::Stack*>(stack);
    if (shownCall != nullptr && &shownCall->node == node && &shownCall->stack == &values) {
      return shownCall->next();
    }
    TORCH_CHECK(node->kind == TOUCHSTONE_OPERATOR, "node `", node->name, "` is no operator");
    const auto op = runtime::findOperator(node->target);
    TORCH_CHECK(op.has_value(), "node `", node->name, "`: there is no operator `", node->target, "`");
    op->callBoxed(&values);
  });
}

constexpr touchstone_host kHost = {TOUCHSTONE_BACKEND_ABI, sizeof(touchstone_host), fail, interpret, call,
                                   interpretCalls};

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
