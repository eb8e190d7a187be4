#pragma once

#include "backends/GraphCompiler.h"
#include "graph/runtime/CallMode.h"

#include <ATen/core/dispatch/Dispatcher.h>

#include <functional>
#include <memory>
#include <stdexcept>

namespace touchstone::debugging {

/// What an operator makes of fake tensors is not what it makes of real ones.
class MetadataMismatch : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Operators that are not compared.
using IgnoredOperator = std::function<bool(const c10::OperatorHandle& op)>;

/// Those of the namespaces `aten`, `prims` and `prim`.
bool ignoreBuiltins(const c10::OperatorHandle& op);

/// Runs each operator on fake tensors without values as well, and throws MetadataMismatch where number, dtype, sizes,
/// strides, offset or aliasing of the results differ from those of the real call, or only the fake call raises. Operators
/// without a kernel for tensors without values, those whose results' sizes come from data, that move their argument, or
/// that cannot be traced are passed on. Behaves as torch/_subclasses/fake_utils.py, CrossRefFakeMode.
class FakeCrossref final : public runtime::CallMode {
 public:
  explicit FakeCrossref(IgnoredOperator ignore = nullptr) : ignore_(std::move(ignore)) {}
  void onOperator(const ir::Node& node, const c10::OperatorHandle& op, torch::jit::Stack& stack,
                  const std::function<void()>& next) override;

 private:
  IgnoredOperator ignore_;
};

/// The `fake_crossref_boxed_nop` compiler.
backends::GraphCompiler fakeCrossrefBoxedNop(IgnoredOperator ignore = nullptr);

/// Which operators a nop compiler compares: torch's `fake_tensor_crossref`.
enum class CrossrefChoice { kOff, kAll, kCustomOperators };

/// The mode for a choice; null: off.
std::shared_ptr<runtime::CallMode> crossrefMode(CrossrefChoice choice);
/// The compiler of forward and backward Graphs for a choice: `get_nop_func`.
backends::GraphCompiler nopFunction(CrossrefChoice choice);

} // namespace touchstone::debugging
