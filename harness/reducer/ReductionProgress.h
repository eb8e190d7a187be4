#pragma once

#include "harness/reducer/Reducer.h"

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <map>
#include <string>

namespace touchstone::reducer {

/// Says on standard error how a reduction goes, and counts for each pass how many candidates were judged and how many taken.
class ReductionProgress {
 public:
  explicit ReductionProgress(const language::Case& start);
  /// Sets what the reducer calls; the object must outlive reducing.
  void attachTo(ReducerOptions& options);

  size_t candidates() const { return candidates_; }
  double seconds() const;
  /// In the order of reductionPasses(), those that judged something: `name`, `tried`, `taken`.
  nlohmann::json passesJson() const;

 private:
  void say();

  struct Counts {
    size_t tried = 0, taken = 0;
  };
  std::map<std::string, Counts> counts_;
  size_t candidates_ = 0, operators_ = 0, calls_ = 0;
  std::string pass_;
  const double begin_;
  double lastSaid_ = 0;
};

} // namespace touchstone::reducer
