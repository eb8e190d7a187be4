#pragma once

#include "backends/PipelineObserver.h"
#include "graph/runtime/CallMode.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace touchstone::debugging {

/// One run of a compiled Graph.
struct GraphRun {
  /// Number of the captured Graph that it was made of, in the order of capture; -1: of a backward that was captured when it
  /// ran, or that is not cut out of the joint Graph.
  int graph = -1;
  std::string stage; // of the Graph that runs: `captured`, `forward`, `backward`, see ir::kStages
  int64_t operators = 0; // of the Graph, callables included; with none in `calls` its code makes them unseen
  /// `mul = aten::mul.Tensor(f32[2, 3], 2) -> f32[2, 3]`, in the order in which the calls began.
  std::vector<std::string> calls;
};

/// Writes down what the Graphs of a native backend call on real tensors: an observer, which knows what Graph runs, and a mode, which
/// sees its calls. Where Graphs run inside each other, the innermost counts: of an AOT pipeline forward and backward, not what was
/// captured.
class CallLog {
 public:
  /// `source`: the lines of the case file; a call of a known line is followed by what stands there.
  explicit CallLog(std::vector<std::string> source = {});

  /// To be given to the backend.
  std::shared_ptr<backends::PipelineObserver> observer() const;
  /// What was run since the last time, in the order in which the runs began.
  std::vector<GraphRun> take();

 private:
  class Recorder;

 public:
  /// While it lives, what runs on this thread is written down; one at a time.
  class Scope {
   public:
    explicit Scope(CallLog& log);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    const std::shared_ptr<Recorder> recorder_;
    const runtime::CallModeScope entered_;
  };

 private:
  std::shared_ptr<Recorder> recorder_;
};

} // namespace touchstone::debugging
