#pragma once

#include "graph/ir/Graph.h"
#include "graph/symbols/Fitting.h"
#include "graph/symbols/FloatFitting.h"

#include <functional>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace touchstone::symbols {

/// What was traced under several assignments is not one program with other numbers; the message says where it differs.
struct NotSymbolic : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Nor could it ever be: what it was compiled to has its sizes built in.
struct NoSymbolicForm : NotSymbolic {
  using NotSymbolic::NotSymbolic;
};

/// More assignments may tell which form is meant.
struct TooFewAssignments : NotSymbolic {
  using NotSymbolic::NotSymbolic;
};

/// Numbers of something that was traced, each of which is an expression: what all assignments have in common is elsewhere.
class Numbers {
 public:
  /// `samples`: the numbers under each assignment of the fitting, in one order. `where`: says what a number is. Throws
  /// NotSymbolic.
  Numbers(const std::vector<std::vector<int64_t>>& samples, Fitting& fitting,
          const std::function<std::string(size_t number)>& where);
  /// One number after the other, of which `likely` says which symbols it may hang on; `see` is told what those are that vary.
  Numbers(const std::vector<std::vector<int64_t>>& samples, Fitting& fitting,
          const std::function<const std::set<Symbol>&(size_t number)>& likely,
          const std::function<void(size_t number, const Expression& expression)>& see,
          const std::function<std::string(size_t number)>& where);

  /// Puts the numbers for an assignment where they vary.
  void put(const std::vector<int64_t*>& places, const Assignment& assignment) const;
  const std::vector<std::pair<size_t, Expression>>& varying() const { return varying_; }

 private:
  size_t count_ = 0;
  std::vector<std::pair<size_t, Expression>> varying_; // which number, and what it is
};

/// What is known of the constants and callables of Graphs, which are opaque to them.
struct Constants {
  std::function<bool(const void* left, const void* right)> areSame;
  /// Two callables compute the same, whatever the sizes.
  std::function<bool(const void* left, const void* right)> callSame;
  /// The int that a constant is; nothing: it is none.
  std::function<std::optional<int64_t>(const void* constant)> integerOf;
  /// The same with another int.
  std::function<std::shared_ptr<const void>(const void* like, int64_t integer)> withInteger;
};

/// Whether the floats among arguments are the same under all assignments, or fitted: see fitFloat(). ATen computes few
/// floats from sizes, and does not ask what they are; a Program may do anything with one.
enum class Floats { kSame, kFitted };

/// A Graph whose sizes, strides, offsets and other whole numbers are expressions.
class SymbolicGraph {
 public:
  /// The Graph as it was traced under each assignment of the fitting. Throws NotSymbolic, TooFewAssignments.
  SymbolicGraph(const std::vector<const ir::Graph*>& samples, Fitting& fitting, const Constants& constants,
                Floats floats = Floats::kSame);

  /// As it would have been traced for this assignment.
  ir::Graph at(const Assignment& assignment) const;
  /// As ir::printGraph() prints it, expressions in the place of numbers.
  std::string text(const std::string& name = "graph") const;
  /// The same by another printer.
  std::string text(const std::function<std::string(const ir::Graph& graph)>& print) const;
  std::set<Symbol> symbols() const; // in numbers and ints
  bool isVarying() const { return !numbers_.varying().empty() || !floats_.empty(); }

 private:
  ir::Graph graph_; // of the first assignment
  Constants constants_;
  std::vector<size_t> integers_; // constants that are ints
  Numbers ofConstants_, numbers_;
  std::vector<std::pair<size_t, FloatExpression>> floats_; // which one, and what it is
};

/// The numbers of a Graph as it was traced under each assignment, by node: those of one hang on the symbols of what it reads,
/// or on others of its own. Throws NotSymbolic where the Graphs are more than other numbers.
Numbers numbersByNode(const std::vector<const ir::Graph*>& samples, Fitting& fitting, const Constants& constants,
                      Floats floats = Floats::kSame);
/// By dimension of a node's result, whether its size varies; empty: it is no tensor. Of Graphs of numbersByNode().
std::vector<bool> varyingSizes(const std::vector<const ir::Graph*>& samples, ir::NodeId node);
/// A node is given a number that may be a bound of its sizes (`narrow(x, 0, 0, 4)`), or makes a number of sizes that vary
/// (`x[::x.size(0)//2 + 1]`, of two elements but where there are two): other sizes may be other code. The Graphs are those of
/// numbersByNode().
bool cutsSizes(const std::vector<const ir::Graph*>& samples);
/// The places of the sizes, strides and the offset.
void addNumbers(ir::TensorMetadata& metadata, std::vector<int64_t*>& places);
/// What is at the places.
std::vector<int64_t> valuesAt(const std::vector<int64_t*>& places);
/// The places of all numbers of a Graph, in an order that depends on its structure alone.
std::vector<int64_t*> numbersOf(ir::Graph& graph);
/// The same of the floats among arguments.
std::vector<double*> floatsOf(ir::Graph& graph);

} // namespace touchstone::symbols
