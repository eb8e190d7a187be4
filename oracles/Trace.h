#pragma once

#include "graph/program/Evaluator.h"
#include "oracles/Observation.h"
#include "oracles/Rules.h"

#include <memory>
#include <set>
#include <vector>

namespace touchstone::oracles {

/// A tensor whose values eager leaves open, and by which rule (A14: overlapping writes; A15: nondeterminism).
struct OpenValues {
  Location location; // an argument or an output; every member of its storage is meant
  Rule rule = Rule::kA14;
  std::set<int64_t> bytes; // first bytes of the elements within the storage that are open; empty: all
};

/// What one traced run of eager tells of one call beyond its Observation.
struct CallTrace {
  std::vector<Location> dataWritten; // arguments whose storage an operator wrote data to (rule A1)
  std::vector<OpenValues> open;
  std::vector<Rule> openSomewhere; // rules by which anything at all is open: gradients depend on it
  std::vector<uint64_t> discrete; // operators, sizes and a hash of each integer and bool result, in order
  std::vector<std::vector<at::Tensor>> draws; // results of each random operator, in order
  bool reinterpretsBits = false; // view(dtype): there is no run in double precision
  bool replayed = true; // a replaying trace found a recorded draw for every random operator
};

/// Watches the operator calls of an eager run. As a graph::OperationHook it runs each call itself.
class Tracer {
 public:
  /// With `replay`, random operators return the draws recorded there instead of drawing (converted to the dtype that
  /// the run is in).
  explicit Tracer(const std::vector<CallTrace>* replay = nullptr);
  ~Tracer();

  graph::OperationHook hook();
  /// The program that was made with hook(), noting what goes in and comes out.
  std::unique_ptr<graph::Callable> watch(std::unique_ptr<graph::Callable> program);
  /// Tells which call the next run of the program is.
  void beginCall(int call);
  const std::vector<CallTrace>& calls() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

} // namespace touchstone::oracles
