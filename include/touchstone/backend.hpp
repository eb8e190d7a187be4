#pragma once

#include <touchstone/backend.h>

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>
#include <c10/util/Exception.h>
#include <torch/version.h>

#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <new>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

/// A backend in a shared library, in C++ over touchstone/backend.h. Headers alone: the library links libtorch, not Touchstone.
///
///   struct Mine {
///     static constexpr const char* kName = "mine";
///     static constexpr const char* kSummary = "what it does";
///     std::unique_ptr<touchstone::shared::Compiled> compile(touchstone::shared::Graph graph);
///   };
///   TOUCHSTONE_SHARED_BACKEND(Mine)
///
/// `compile` may throw: Unsupported for a graph that the backend does not take, anything else for what went wrong. It may return
/// null: nothing was compiled, and the graph runs eagerly, which does not count as judged. Optional constants of the class: `kLevel`
/// (touchstone_level, TOUCHSTONE_LEVEL_CAPTURED where it is missing), `kPrecision` (touchstone_precision, TOUCHSTONE_EXACT).
namespace touchstone::shared {

/// The backend does not take the graph; `what()` is the reason that is counted.
class Unsupported : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A graph is run on `inputs` and gives `outputs`; see touchstone_backend::run.
using Tensors = std::vector<at::Tensor>;
/// Arguments of an operator in the order of its schema, afterwards its results.
using Stack = std::vector<c10::IValue>;
/// Sees an operator that Graph::interpret() comes to. `call()` does what it does anyway; without it the results are to be left
/// on the stack.
using OnOperator = std::function<void(const touchstone_node& node, Stack& stack, const std::function<void()>& call)>;

namespace detail {

/// What a function of touchstone_host told already: the error is Touchstone's, and only the way back is ours.
struct HostFailed {};

inline touchstone_stack* handleOf(Stack& stack) {
  return reinterpret_cast<touchstone_stack*>(&stack);
}
inline Stack& stackOf(touchstone_stack* stack) {
  return *reinterpret_cast<Stack*>(stack);
}
inline std::vector<touchstone_tensor*> handlesOf(Tensors& tensors) {
  std::vector<touchstone_tensor*> handles;
  for (at::Tensor& tensor : tensors) {
    handles.push_back(reinterpret_cast<touchstone_tensor*>(&tensor));
  }
  return handles;
}

/// Runs it; what it throws becomes a status and a text. The classes are those by which Python knows libtorch's errors
/// (`torch/csrc/Exceptions.h`).
template <class Work>
touchstone_status guarded(const touchstone_host& host, touchstone_error* error, Work work) noexcept {
  const auto failed = [&](const char* type, const char* message) {
    host.fail(error, type, message);
    return TOUCHSTONE_FAILED;
  };
  try {
    return work();
  } catch (const HostFailed&) {
    return TOUCHSTONE_FAILED;
  } catch (const Unsupported& reason) {
    host.fail(error, "Unsupported", reason.what());
    return TOUCHSTONE_UNSUPPORTED;
  } catch (const c10::IndexError& raised) {
    return failed("IndexError", raised.what_without_backtrace());
  } catch (const c10::ValueError& raised) {
    return failed("ValueError", raised.what_without_backtrace());
  } catch (const c10::TypeError& raised) {
    return failed("TypeError", raised.what_without_backtrace());
  } catch (const c10::NotImplementedError& raised) {
    return failed("NotImplementedError", raised.what_without_backtrace());
  } catch (const c10::LinAlgError& raised) {
    return failed("_LinAlgError", raised.what_without_backtrace());
  } catch (const c10::Error& raised) {
    return failed("RuntimeError", raised.what_without_backtrace());
  } catch (const std::bad_alloc& raised) {
    return failed("MemoryError", raised.what());
  } catch (const std::exception& raised) {
    return failed("RuntimeError", raised.what());
  } catch (...) {
    return failed("RuntimeError", "an exception that is no std::exception was thrown");
  }
}

} // namespace detail

/// A graph as Touchstone shows it. A view: it may be copied, and lives as long as what is compiled of it.
class Graph {
 public:
  Graph(const touchstone_host& host, const touchstone_graph& graph) : host_(&host), graph_(&graph) {}

  touchstone_role role() const { return static_cast<touchstone_role>(graph_->role); }
  std::span<const touchstone_node> nodes() const { return {graph_->nodes, static_cast<size_t>(graph_->node_count)}; }
  std::span<const int32_t> inputs() const { return {graph_->inputs, static_cast<size_t>(graph_->input_count)}; }
  /// Nodes; -1: None.
  std::span<const int32_t> outputs() const { return {graph_->outputs, static_cast<size_t>(graph_->output_count)}; }
  /// As readable Python.
  const char* code() const { return graph_->code; }
  /// The tensor of a node of kind TOUCHSTONE_CONSTANT.
  static const at::Tensor& constantOf(const touchstone_node& node) {
    return *reinterpret_cast<const at::Tensor*>(node.constant);
  }

  /// Runs the graph eagerly, node by node, each operator through `onOperator`; null: as it is. Throws what the program raises.
  Tensors interpret(Tensors inputs, const OnOperator& onOperator = nullptr) const {
    return runThrough(host_->interpret, std::move(inputs), onOperator);
  }
  /// The same, callables too: see touchstone_host::interpret_calls. Throws std::runtime_error where Touchstone is older than
  /// this header.
  Tensors interpretCalls(Tensors inputs, const OnOperator& onCall) const {
    if (host_->size < offsetof(touchstone_host, interpret_calls) + sizeof(host_->interpret_calls)) {
      throw std::runtime_error("This Touchstone is older than the <touchstone/backend.h> that the backend was built with.");
    }
    return runThrough(host_->interpret_calls, std::move(inputs), onCall);
  }

  /// Where errors of this thread's run go; set around each call of the library.
  static touchstone_error*& error() {
    static thread_local touchstone_error* current = nullptr;
    return current;
  }
  /// While it lives, errors go there.
  class ErrorScope {
   public:
    explicit ErrorScope(touchstone_error* error) : outer_(std::exchange(Graph::error(), error)) {}
    ~ErrorScope() { Graph::error() = outer_; }
    ErrorScope(const ErrorScope&) = delete;
    ErrorScope& operator=(const ErrorScope&) = delete;

   private:
    touchstone_error* outer_;
  };

 private:
  Tensors runThrough(decltype(touchstone_host::interpret) interpret, Tensors inputs, const OnOperator& onOperator) const {
    Tensors outputs(static_cast<size_t>(graph_->output_count));
    if (inputs.size() != static_cast<size_t>(graph_->input_count)) {
      throw std::invalid_argument("The graph has " + std::to_string(graph_->input_count) + " inputs, got " +
                                  std::to_string(inputs.size()) + ".");
    }
    Context context{host_, &onOperator};
    const touchstone_on_operator callback = onOperator ? &Context::call : nullptr;
    const auto given = detail::handlesOf(inputs), wanted = detail::handlesOf(outputs);
    if (interpret(graph_, given.data(), wanted.data(), callback, &context, error()) != TOUCHSTONE_OK) {
      throw detail::HostFailed();
    }
    return outputs;
  }

  struct Context {
    const touchstone_host* host;
    const OnOperator* onOperator;
    static touchstone_status call(void* context, const touchstone_node* node, touchstone_stack* stack,
                                  touchstone_error* error) {
      const auto& self = *static_cast<Context*>(context);
      return detail::guarded(*self.host, error, [&] {
        (*self.onOperator)(*node, detail::stackOf(stack), [&] {
          if (self.host->call(node, stack, error) != TOUCHSTONE_OK) {
            throw detail::HostFailed();
          }
        });
        return TOUCHSTONE_OK;
      });
    }
  };

  const touchstone_host* host_;
  const touchstone_graph* graph_;
};

/// What a backend made of a graph.
class Compiled {
 public:
  virtual ~Compiled() = default;
  /// Takes a tensor for each input, returns one for each output; undefined for None. Several threads may call it at once.
  virtual Tensors run(Tensors inputs) const = 0;
};

namespace detail {

template <class Backend>
constexpr touchstone_level levelOf() {
  if constexpr (requires { Backend::kLevel; }) {
    return Backend::kLevel;
  } else {
    return TOUCHSTONE_LEVEL_CAPTURED;
  }
}

template <class Backend>
constexpr touchstone_precision precisionOf() {
  if constexpr (requires { Backend::kPrecision; }) {
    return Backend::kPrecision;
  } else {
    return TOUCHSTONE_EXACT;
  }
}

/// What `run` gets.
struct Handle {
  const touchstone_host* host;
  size_t inputs, outputs;
  std::unique_ptr<Compiled> compiled;
};

template <class Backend>
touchstone_status compile(void* state, const touchstone_host* host, const touchstone_graph* graph, void** compiled,
                          touchstone_error* error) {
  return guarded(*host, error, [&] {
    const Graph::ErrorScope scope(error);
    std::unique_ptr<Compiled> made = static_cast<Backend*>(state)->compile(Graph(*host, *graph));
    if (made == nullptr) {
      return TOUCHSTONE_DECLINED;
    }
    *compiled = new Handle{host, static_cast<size_t>(graph->input_count), static_cast<size_t>(graph->output_count),
                           std::move(made)};
    return TOUCHSTONE_OK;
  });
}

inline touchstone_status run(void* compiled, touchstone_tensor* const* inputs, touchstone_tensor* const* outputs,
                             touchstone_error* error) {
  const auto& handle = *static_cast<Handle*>(compiled);
  return guarded(*handle.host, error, [&] {
    const Graph::ErrorScope scope(error);
    Tensors taken(handle.inputs);
    for (size_t i = 0; i < taken.size(); ++i) {
      taken[i] = std::move(*reinterpret_cast<at::Tensor*>(inputs[i]));
    }
    Tensors given = handle.compiled->run(std::move(taken));
    if (given.size() != handle.outputs) {
      throw std::logic_error("The graph has " + std::to_string(handle.outputs) + " outputs, the backend gave " +
                             std::to_string(given.size()) + ".");
    }
    for (size_t i = 0; i < given.size(); ++i) {
      *reinterpret_cast<at::Tensor*>(outputs[i]) = std::move(given[i]);
    }
    return TOUCHSTONE_OK;
  });
}

inline void release(void* compiled) {
  delete static_cast<Handle*>(compiled);
}

template <class Backend>
const touchstone_backend* table() {
  static Backend backend;
  static const touchstone_backend made = {TOUCHSTONE_BACKEND_ABI,
                                          sizeof(touchstone_backend),
                                          Backend::kName,
                                          Backend::kSummary,
                                          TORCH_VERSION,
                                          levelOf<Backend>(),
                                          precisionOf<Backend>(),
                                          &backend,
                                          compile<Backend>,
                                          run,
                                          release};
  return &made;
}

} // namespace detail

} // namespace touchstone::shared

/// Exports the backend; once in a library.
#define TOUCHSTONE_SHARED_BACKEND(Backend)                 \
  const touchstone_backend* touchstone_backend_v1(void) {  \
    return ::touchstone::shared::detail::table<Backend>(); \
  }
