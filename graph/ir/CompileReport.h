#pragma once

#include "graph/ir/GraphBreakReport.h"

#include <cstdint>
#include <string>
#include <vector>

namespace touchstone::ir {

/// What compiled autograd did, of backwards that ran in its scope.
struct CompiledBackwards {
  int64_t backwards = 0;
  int64_t captures = 0; // backwards in which something was traced
  int64_t graphs = 0; // traced and compiled
  int64_t compiledRuns = 0; // of Graphs with operators
  int64_t eagerNodes = 0; // nodes that ran as the engine runs them

  CompiledBackwards& operator+=(const CompiledBackwards& other) {
    backwards += other.backwards;
    captures += other.captures;
    graphs += other.graphs;
    compiledRuns += other.compiledRuns;
    eagerNodes += other.eagerNodes;
    return *this;
  }
};

/// What a backend says about its compiling so far; all counts since the program was compiled first.
struct CompileReport {
  int64_t frames = 0; // frames captured
  int64_t graphs = 0; // graphs handed to the compiler
  int64_t operations = 0; // operator calls inside these graphs
  int64_t compiledRuns = 0; // times that compiled code was entered: the evidence that something compiled has run
  std::vector<std::string> breaks; // reason of each graph break
  std::vector<std::string> recompiles; // reason of each recompile
  std::vector<std::string> guards; // texts, where the backend can show them
  std::vector<std::string> specializations; // sizes that were to be symbols, and why they are not
  double compileSeconds = 0;
  CompiledBackwards backwards; // a native backend's
  std::vector<std::string> bites; // faults that would have changed a graph, by name: of the backend that looks for them
  // Of native captures, for explanations.
  std::vector<std::vector<std::string>> operationsOfGraphs; // targets, by graph
  std::vector<GraphBreakReport> breakReports; // as `breaks`

  CompileReport& operator+=(const CompileReport& other) {
    const auto append = [](auto& list, const auto& more) { list.insert(list.end(), more.begin(), more.end()); };
    frames += other.frames;
    graphs += other.graphs;
    operations += other.operations;
    compiledRuns += other.compiledRuns;
    append(breaks, other.breaks);
    append(recompiles, other.recompiles);
    append(guards, other.guards);
    append(specializations, other.specializations);
    append(bites, other.bites);
    compileSeconds += other.compileSeconds;
    backwards += other.backwards;
    append(operationsOfGraphs, other.operationsOfGraphs);
    append(breakReports, other.breakReports);
    return *this;
  }
};

} // namespace touchstone::ir
