#pragma once

#include "backends/GraphCompiler.h"
#include "backends/PipelineObserver.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace touchstone::backends {

/// The compiles of one code, of which one is kept. Observers are told of each before it, and behind them which that is.
class CompileAttempts {
 public:
  CompileAttempts(const GraphCompiler& compiler, const PipelineObservers& observers)
      : compiler_(compiler), observers_(observers) {}

  /// Makes an attempt of each Graph that it compiles.
  GraphCompiler compiler();
  size_t count() const { return attempts_.size(); }
  bool isShown() const { return !attempts_.empty() && seesSymbols(observers_); }

  // Of the last attempt.
  void giveUp(std::string why);
  void show(SymbolicSamples samples);

  /// `kept`: nothing: the last one.
  void tell(std::optional<size_t> kept);

 private:
  struct Attempt {
    std::string whyNot = "other symbols were chosen";
    std::shared_ptr<SymbolicSamples> samples;
  };

  const GraphCompiler& compiler_;
  const PipelineObservers& observers_;
  std::vector<Attempt> attempts_;
};

} // namespace touchstone::backends
