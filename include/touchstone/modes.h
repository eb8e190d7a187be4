#pragma once

#include <touchstone/backend.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Modes: objects that see each call of a compiled graph before it is made, and may replace it. What they see depends on the
/// backend that is made of them:
///
///   backend                           the mode sees                                                            role in PyTorch
///   EagerWithMode                     captured graphs as the program has them, above autograd                  TorchFunctionMode
///   BoxedNopWithMode                  forward and backward graphs of AOT autograd                              TorchDispatchMode
///   AotEagerDecompPartitionWithMode   the same, operators replaced by simpler ones as Inductor would have it   TorchDispatchMode
///
///   struct Logged : touchstone::modes::EagerWithMode {
///     static constexpr const char* kName = "logged";
///     static constexpr const char* kSummary = "eager; each call is written down";
///     Logged() : EagerWithMode(std::make_shared<MyLog>()) {}
///   };
///   TOUCHSTONE_SHARED_BACKEND(Logged)
///
/// is a shared library for `--load` (docs/modes.md). Headers alone: the library links libtorch, not Touchstone. Programs that
/// link touchstone::aot use the same modes by functions of touchstone/compilers.h. Behaviour:
/// torch/_dynamo/backends/debugging.py of PyTorch 2.13.
namespace touchstone::modes {

/// Arguments of a call, afterwards its results.
using Stack = shared::Stack;

/// Which call of a graph it is. The texts live as long as the call.
struct CallSite {
  std::string_view
      target; // `aten::add.Tensor`; of a callable what the program calls it: `autograd::grad`, `Scaled.apply`
  std::string_view name; // of the node, unique in its graph
  int line = 0; // of the case file; 0: unknown
  touchstone_role role = TOUCHSTONE_CAPTURED; // of the graph
  bool isOperator = true; // otherwise a callable: a custom autograd function, a gradient that the program asks for
};

/// A call that a mode sees. It ends with its results on the stack: by proceed(), which makes it, or by replace().
class Call {
 public:
  /// `next` makes the call with what is on the stack, and leaves the results there; it outlives the call.
  Call(const CallSite& site, Stack& stack, const std::function<void()>& next)
      : site_(site), stack_(stack), next_(next) {}
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  const CallSite& site() const { return site_; }
  /// Of an operator the arguments in the order of its schema, defaults included; of a callable those that the graph gives:
  /// tensors, numbers, strings, lists and tuples of these; anything else is None. Once isDone(): one value for each
  /// result of the operator, one for all of a callable (a tensor, None, or a tuple). Tensors are the program's own: what is
  /// written to them the program sees. What is put here before proceed() is what an operator is called with; a callable
  /// is called with what the graph gives.
  Stack& stack() { return stack_; }
  /// The results are on the stack.
  bool isDone() const { return isDone_; }

  /// Makes the call, outer modes first. Throws what it raises, and std::logic_error when isDone().
  void proceed() {
    expectOpen();
    next_();
    isDone_ = true;
  }
  /// Has these results instead: as many as the schema of an operator says (else the run throws c10::Error that names both
  /// numbers), with the sizes, strides and dtypes that the program goes on with: nobody checks these. Outer modes do not see
  /// the call. Throws std::logic_error when isDone(); results of a call that was made are changed on the stack.
  void replace(Stack results) {
    expectOpen();
    stack_ = std::move(results);
    isDone_ = true;
  }

 private:
  void expectOpen() const {
    if (isDone_) {
      throw std::logic_error("The call `" + std::string(site_.target) + "` has its results already.");
    }
  }

  const CallSite& site_;
  Stack& stack_;
  const std::function<void()>& next_;
  bool isDone_ = false;
};

/// Sees each operator and each callable of a graph that runs, in the grad mode and autocast in which it runs. Calls that a kernel
/// makes inside, constants, and the registration of hooks and regions (`with torch.no_grad():`) are not seen; nor is what
/// the program does between two graphs. One mode may be called from several threads at once.
class Mode {
 public:
  virtual ~Mode() = default;
  /// Ends with `call.isDone()`, or the run throws std::logic_error. What it throws, the program raises: of c10::Error,
  /// std::bad_alloc and std::exception the class by which Python knows it.
  virtual void onCall(Call& call) = 0;
};

namespace detail {

/// Has a mode see a call, and holds it to the contract.
inline void show(Mode& mode, Call& call) {
  mode.onCall(call);
  if (!call.isDone()) {
    throw std::logic_error("A mode neither made the call `" + std::string(call.site().target) +
                           "` nor replaced it: Call::proceed() or Call::replace() is missing.");
  }
}

} // namespace detail

/// Several modes as one, entered in this order: the last one sees a call first, and its proceed() passes it on to the one before.
class ModeStack final : public Mode {
 public:
  /// Throws std::invalid_argument for a null.
  explicit ModeStack(std::vector<std::shared_ptr<Mode>> modes) : modes_(std::move(modes)) {
    for (const std::shared_ptr<Mode>& mode : modes_) {
      if (mode == nullptr) {
        throw std::invalid_argument("A stack of modes has a null in it.");
      }
    }
  }

  void onCall(Call& call) override {
    const std::function<void()> last = [&call] { call.proceed(); };
    enter(modes_.size(), call, last);
    if (!call.isDone()) { // one of them has replaced it
      call.replace(Stack(call.stack()));
    }
  }

 private:
  void enter(size_t count, Call& call, const std::function<void()>& last) const {
    if (count == 0) {
      return last();
    }
    const std::function<void()> next = [&] { enter(count - 1, call, last); };
    Call seen(call.site(), call.stack(), next);
    detail::show(*modes_[count - 1], seen);
  }

  std::vector<std::shared_ptr<Mode>> modes_;
};

namespace detail {

class CompiledWithMode final : public shared::Compiled {
 public:
  CompiledWithMode(const shared::Graph& graph, std::shared_ptr<Mode> mode) : graph_(graph), mode_(std::move(mode)) {}

  shared::Tensors run(shared::Tensors inputs) const override {
    return graph_.interpretCalls(std::move(inputs),
                                 [this](const touchstone_node& node, Stack& stack, const std::function<void()>& next) {
                                   const CallSite site{.target = node.target,
                                                       .name = node.name,
                                                       .line = node.line,
                                                       .role = graph_.role(),
                                                       .isOperator = node.kind == TOUCHSTONE_OPERATOR};
                                   Call call(site, stack, next);
                                   show(*mode_, call);
                                 });
  }

 private:
  shared::Graph graph_;
  std::shared_ptr<Mode> mode_;
};

/// What the backends below have in common: graphs run node by node, each call in the mode.
class WithMode {
 public:
  /// Never null, never declined.
  std::unique_ptr<shared::Compiled> compile(shared::Graph graph) {
    return std::make_unique<CompiledWithMode>(graph, mode_);
  }

 protected:
  /// Throws std::invalid_argument for null.
  explicit WithMode(std::shared_ptr<Mode> mode) : mode_(std::move(mode)) {
    if (mode_ == nullptr) {
      throw std::invalid_argument("A backend with a mode was given none.");
    }
  }

 private:
  std::shared_ptr<Mode> mode_;
};

} // namespace detail

// To derive from, with `kName`, `kSummary` and a constructor without arguments. With a mode that replaces results by others that
// round, `kPrecision = TOUCHSTONE_ROUNDS`.

/// `eager` in a mode: captured graphs, with autograd on. With a ModeStack: in several.
class EagerWithMode : public detail::WithMode {
 public:
  static constexpr touchstone_level kLevel = TOUCHSTONE_LEVEL_CAPTURED;

 protected:
  using WithMode::WithMode;
};

/// Forward and backward graphs of AOT autograd, cut by the default partition, in a mode; each tensor is freed when nothing reads it any more.
class BoxedNopWithMode : public detail::WithMode {
 public:
  static constexpr touchstone_level kLevel = TOUCHSTONE_LEVEL_AOT;

 protected:
  using WithMode::WithMode;
};

/// `aot_eager_decomp_partition` in a mode.
class AotEagerDecompPartitionWithMode : public detail::WithMode {
 public:
  static constexpr touchstone_level kLevel = TOUCHSTONE_LEVEL_AOT_DECOMPOSED;

 protected:
  using WithMode::WithMode;
};

} // namespace touchstone::modes
