#pragma once

#include "graph/ir/Graph.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace touchstone::ir {

/// One parameter of an operator, as graphCode() writes a call of it.
struct ParameterText {
  std::string name;
  bool isKeywordOnly = false;
  std::optional<Argument> defaultValue; // an argument that equals it is left out
};

struct GraphTextOptions {
  std::string name = "graph";
  std::vector<std::string> source; // lines of the case file; shown where nodes of another line begin
  std::map<int64_t, int> lineOfSequence; // linesBySequence(): names the line that a node of the backward belongs to
  std::vector<std::string>
      origins; // by `sequence`: what the nodes come from; shown where another one begins. Empty: nothing is
  /// Each operator with the call that it came of, the Program's statement and line, and autograd's number, in a comment.
  bool showMetadata = false;
  bool isRunnable = false; // what is no operator is called through `callables`, which the text does not define
  bool showDevices = false; // of every node, also on the CPU; else of those elsewhere
  bool showState = false; // `with torch.no_grad():` and the like around the nodes that were recorded in it
  /// The parameters of an operator in schema order; null, or nothing returned: every argument is shown, by position.
  std::function<std::vector<ParameterText>(const std::string& target)> parameters;
  /// A constant that is a plain number of the Program: it is written where it is used and has no line of its own. Null or
  /// empty: it has one.
  std::function<std::string(const std::shared_ptr<const void>&)> numberText;
  /// A constant as an expression; null or empty: it is shown as `constants[0]`.
  std::function<std::string(const std::shared_ptr<const void>&)> constantText;
};

/// A Graph as a Python function that a reader of torch.fx's code knows: a line a node, each with dtype and sizes
/// (`"f32[4, 3][1, 4]"`, the strides where they are not contiguous), calls as `torch.ops.aten.mul.Tensor(x, w)`. What
/// Python has no words for stands in comments: what a call writes, offsets, lazy bits, the Program's line, where the
/// backward begins. The text is what Python can parse: names that mean something else to it end in an underscore.
std::string graphCode(const Graph& graph, const GraphTextOptions& options = {});

/// The Program's line of each operator of a recorded forward, by the number that autograd gave its node.
std::map<int64_t, int> linesBySequence(const Graph& recorded);

} // namespace touchstone::ir
