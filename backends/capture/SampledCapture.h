#pragma once

#include "backends/PipelineObserver.h"
#include "backends/capture/SymbolicCapture.h"
#include "graph/symbols/Fitting.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace touchstone::capture {

using Conditions = std::vector<SizeCondition>;

/// What was captured under an assignment, and of what.
struct Sample {
  values::ValueList locals;
  FrameCapture capture;
};
using Samples = std::map<symbols::Assignment, Sample>;

/// One attempt to make one code of captures under several assignments. Throws NotSymbolic where they are not one but for numbers.
class SampledCapture {
 public:
  /// `isThorough`: under as many assignments that each symbol is the least that it may be in one of them; otherwise under few,
  /// which say enough unless isUnsure().
  SampledCapture(const std::vector<std::string>& names, const sources::SymbolicLocals& symbolic,
                 const CaptureSteps& steps, const Conditions& conditions, bool isThorough);

  /// `earlier`: what was captured before, the first assignment among it. Returns what must hold that a comparison, which another
  /// assignment decides otherwise, is decided as for the first; nothing: all are.
  std::optional<SizeCondition> capture(Samples earlier);
  /// What was fitted so far, and the captured Graphs, leave a doubt whether another expression is meant.
  bool isUnsure();
  /// The same of what was fitted alone.
  bool wasUnsure() const { return isSeenInPart_ || fitting_.isUnsure(); }
  /// What was captured, for a further attempt. This one is over.
  Samples takeSamples();

  std::shared_ptr<CapturedCode> compile(const backends::GraphCompiler& compiler, ir::CompileReport& report,
                                        const ir::GraphBreakReport* brokenBy);
  /// What the code needs, besides those that it was begun with.
  const Conditions& conditions() const { return conditions_; }
  /// What was captured and compiled. This attempt is over.
  backends::SymbolicSamples takeShown();

 private:
  /// What the operation with this number gives is known from then on; a comparison is guarded.
  std::optional<SizeCondition> decide(size_t number);
  /// What is one number under all assignments, and no constant: where it is another one, an operator may be other code. So it
  /// may be for a size of 0 or 1 that it has under none.
  void guardUnseen(const symbols::Expression& result, int line);
  void requireSeen(symbols::Condition condition, int line);
  void addCondition(SizeCondition condition);
  void refuseOtherCode() const;
  std::shared_ptr<CapturedCode> united(const std::vector<std::shared_ptr<CapturedCode>>& codes);
  /// Of the first two assignments, where these say all; null: they do not.
  std::shared_ptr<const backends::SymbolicCompiledGraph> graphOfTwo(const backends::CompiledGraph& compiled);
  std::shared_ptr<const backends::SymbolicCompiledGraph> graphForSymbols(
      const std::shared_ptr<const backends::CompiledGraph>& compiled);
  std::vector<const ir::Graph*> compiledGraphs() const;

  const std::vector<std::string>& names_;
  const sources::SymbolicLocals& symbolic_;
  const CaptureSteps& steps_;
  Conditions conditions_;
  const bool isThorough_;
  bool isSeenInPart_ = false;
  symbols::Fitting fitting_;
  std::vector<values::ValueList> locals_;
  std::vector<FrameCapture> captures_;
  ir::Graph captured_; // by the first of them
  std::vector<backends::GraphSample> others_; // the same by the others
};

} // namespace touchstone::capture
