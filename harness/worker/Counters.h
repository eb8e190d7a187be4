#pragma once

#include "harness/worker/Task.h"

namespace touchstone::worker {

/// What compiling and running under one backend comes to: of one Case, or of many added up.
struct Counters {
  int64_t calls = 0, judged = 0, fresh = 0;
  int64_t frames = 0, graphs = 0, operations = 0, breaks = 0, recompiles = 0, compiledRuns = 0;
  int64_t symbols = 0; // see values::CompiledProgram::symbols()
  int64_t specializations = 0; // see ir::CompileReport::specializations
  int64_t backwards = 0, backwardCaptures = 0, backwardGraphs = 0, backwardRuns = 0, backwardEagerNodes = 0; // see
      // ir::CompiledBackwards
  double compileSeconds = 0, runSeconds = 0, judgeSeconds = 0, blameSeconds = 0;

  Counters& operator+=(const Counters& other);
  bool operator==(const Counters& other) const = default;
};

template <class Number>
struct CounterEntry {
  const char* name;
  Number Counters::*member;
};

/// The lists of all of them, which adding up, JSON and whoever prints them walk.
inline constexpr CounterEntry<int64_t> kCounts[] = {
    {"calls", &Counters::calls},
    {"judged", &Counters::judged},
    {"fresh", &Counters::fresh},
    {"frames", &Counters::frames},
    {"graphs", &Counters::graphs},
    {"operations", &Counters::operations},
    {"breaks", &Counters::breaks},
    {"recompiles", &Counters::recompiles},
    {"compiled_runs", &Counters::compiledRuns},
    {"symbols", &Counters::symbols},
    {"specializations", &Counters::specializations},
    {"backwards", &Counters::backwards},
    {"backward_captures", &Counters::backwardCaptures},
    {"backward_graphs", &Counters::backwardGraphs},
    {"backward_runs", &Counters::backwardRuns},
    {"backward_eager_nodes", &Counters::backwardEagerNodes},
};
inline constexpr CounterEntry<double> kTimes[] = {
    {"compile_seconds", &Counters::compileSeconds},
    {"run_seconds", &Counters::runSeconds},
    {"judge_seconds", &Counters::judgeSeconds},
    {"blame_seconds", &Counters::blameSeconds},
};

/// Those that are 0 are left out.
TOUCHSTONE_TRAVELS(Counters);

} // namespace touchstone::worker
