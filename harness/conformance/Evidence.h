#pragma once

#include "harness/conformance/Causes.h"
#include "harness/conformance/ConformanceReport.h"
#include "harness/conformance/ConformanceRun.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace touchstone::conformance {

/// The time of a run, and what is kept of it for what; in seconds.
class TimeBudget {
 public:
  explicit TimeBudget(double minutes);

  double spent() const;
  double left() const { return seconds_ - spent(); }
  double forProbes() const; // at most
  double forCauses() const; // for reducing and for plain Python

 private:
  const double begin_, seconds_;
};

/// What a level's rows count of its campaigns and probes.
struct Counted {
  int64_t cases = 0, agreed = 0, refused = 0, notJudged = 0;
  std::map<std::string, int64_t> delegations; // Cases by ir::delegationName()
};

/// What probes and campaigns have shown, before it is put together by cause.
struct Evidence {
  std::vector<Observation> observations;
  std::vector<JudgedProbe> judged;
  std::vector<OperatorReport> operators;
  std::map<Level, Counted> counted; // by the lowest level of the campaign
  std::map<Level, std::string> whyNotAsked, whyNotShown; // the same
  std::map<std::string, int64_t> notJudged; // Cases and probes, by why
  std::vector<std::string> troubles;
  int64_t probesLeft = 0; // for which there was no time
  nlohmann::json profile; // that the probes ran under
};

/// Probes the catalogue, then runs the campaigns of the levels under what the probes propose. Ends early after an interrupt.
Evidence collectEvidence(const ConformOptions& options, const TimeBudget& time);

/// A profile that was made of the given one, which has loaded its libraries.
worker::Profile profileFrom(const nlohmann::json& object, const worker::Profile& given);

} // namespace touchstone::conformance
