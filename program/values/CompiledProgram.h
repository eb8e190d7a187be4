#pragma once

#include "graph/ir/CapturedBackward.h"
#include "graph/ir/CompileReport.h"
#include "graph/ir/Delegation.h"
#include "graph/ir/StageArtifacts.h"
#include "graph/ir/Unsupported.h"
#include "program/values/Callable.h"
#include "program/values/ReplayCall.h"
#include "program/values/ServedCalls.h"

#include <memory>
#include <optional>

namespace touchstone::values {

/// One Program in the hands of one backend. Compiles lazily, on calls.
class CompiledProgram : public Callable {
 public:
  virtual ir::CompileReport report() const = 0;
  /// How many inputs of what was compiled so far are sizes, as symbols: 0 where all was compiled for the sizes that were seen.
  virtual int64_t symbols() const { return 0; }
  /// Drops everything compiled, in memory; the next call compiles again (CallSpec::reset).
  virtual void reset() = 0;
  /// Calls an object of the same Program that was compiled for itself: none of what instance 0 has compiled serves it. 0 is this
  /// one. report() counts all, reset() drops all. A program that compiles nothing has but one.
  virtual Value callInstance(int /*instance*/, ValueList& arguments) { return (*this)(arguments); }
  /// Turns compiled autograd on until the returned object dies; null: this backend has none.
  virtual std::shared_ptr<void> compiledAutograd() { return nullptr; }
  /// The backwards that it has captured, in order.
  virtual std::vector<ir::CapturedBackward> capturedBackwards() const { return {}; }
  /// What the stages left of each Graph that was compiled so far, in order; where a Graph could not be taken over, its entry
  /// says why. Of a Program that Backend::compileKeepingStages() has made; otherwise empty.
  virtual std::vector<ir::StageArtifacts> stages() const { return {}; }
  /// The runs of what was compiled of these Graphs, in order. Where Backend::compileKeepingStages() was asked for them;
  /// otherwise empty.
  virtual std::vector<ReplayCall> replayCalls() const { return {}; }
  /// What served the calls so far. Of a Program that Backend::compileTellingServed() has made; otherwise empty.
  virtual ServedCalls servedCalls() const { return {}; }
  /// How much of what ran so far the backend executed itself; none: nobody asks, or nothing ran. Runs the graphs again, on copies of
  /// what they were given first.
  virtual std::optional<ir::Delegation> delegation() { return std::nullopt; }
};

} // namespace touchstone::values
