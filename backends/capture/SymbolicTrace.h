#pragma once

#include "backends/sources/SymbolicLocals.h"
#include "graph/ir/Graph.h"
#include "graph/symbols/SymbolicGraph.h"

#include <ATen/core/Tensor.h>

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace touchstone::capture {

/// A function of tensors, traced for symbols: each size of the examples is one, unless it is 0 or 1, and sizes that are equal are
/// one symbol. It is traced under several assignments, and the numbers of its Graphs are fitted (graph/symbols/Fitting.h). A
/// symbol under which it is another function for other sizes keeps its number.
class SymbolicTrace {
 public:
  using Trace = std::function<ir::Graph(const std::vector<at::Tensor>& inputs)>;

  /// Throws what the trace of the examples throws.
  SymbolicTrace(const Trace& trace, const std::vector<at::Tensor>& examples);

  /// As ir::printGraph() prints it, with `s0` and what is computed from symbols in the place of numbers.
  std::string text(const std::string& name = "graph") const;
  /// What the Graph holds for: `2 <= s0`, `x0.size(1) == 3: …` of a size that keeps its number, and why.
  const std::vector<std::string>& guards() const { return guards_; }
  /// As it would have been traced for these tensors; nothing is traced. Throws ir::Unsupported for tensors that are not like
  /// the examples, or of sizes that the guards refuse.
  ir::Graph at(const std::vector<at::Tensor>& inputs) const;

 private:
  using IsWanted = std::function<bool(const sources::SizeSource& source)>;
  /// What the traces under several assignments have become.
  struct ForSymbols {
    sources::SymbolicLocals locals;
    std::vector<symbols::Condition> conditions;
    symbols::SymbolicGraph graph;
  };

  sources::SymbolicLocals localsOf(const IsWanted& isWanted) const;
  /// Nothing where the Graphs are not one with other numbers; `reason`: why.
  std::optional<ForSymbols> attempt(const Trace& trace, const sources::SymbolicLocals& locals,
                                    std::string& reason) const;
  std::optional<ForSymbols> attemptWith(const Trace& trace, const sources::SymbolicLocals& locals, bool isFromHintsOn,
                                        std::string& reason) const;
  sources::SymbolicLocals::Tensor expectedOf(size_t input) const;
  symbols::Assignment assignmentOf(const std::vector<at::Tensor>& inputs) const;

  std::vector<at::Tensor> examples_;
  std::vector<std::string> names_, sources_, guards_;
  std::set<int64_t> givenUp_; // sizes that keep their number
  ir::Graph hinted_; // of the examples
  std::optional<ForSymbols> symbolic_; // nothing: no size is a symbol
};

} // namespace touchstone::capture
