#include "harness/triage/RungReplay.h"

#include "backends/Registry.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace touchstone::triage {

namespace {

using ReplayOutcome = stages::ReplayRung::Outcome;

bool hasStages(const std::string& backend) {
  return backends::backendInfo(backend).family == ir::Family::kTorch && backend != "torch:eager_python" &&
         backend != "torch:eager";
}

/// Nothing of it is unknown.
bool isKnown(const stages::ReplayRung& rung) {
  return rung.outcome == ReplayOutcome::kAbsent || (rung.outcome == ReplayOutcome::kHolds && rung.unjudged.empty());
}

} // namespace

std::optional<size_t> RungReplay::first() const {
  const auto found = std::find_if(rungs.begin(), rungs.end(),
                                  [](const auto& rung) { return rung.outcome == ReplayOutcome::kDiffers; });
  return found == rungs.end() ? std::nullopt : std::optional(static_cast<size_t>(found - rungs.begin()));
}

std::optional<RungReplay> replayStagesOf(const std::string& caseText, const std::string& backend,
                                         const pool::RunJob& run) {
  if (!hasStages(backend)) {
    return std::nullopt;
  }
  const worker::JobResult result =
      run({.source = worker::PrintedCase{caseText}, .backends = {backend}, .task = worker::ReplayTask{}});
  RungReplay stages{.backend = backend};
  if (const auto* judged = result.as<worker::ReplayResult>()) {
    stages.rungs = judged->rungs;
    stages.reason = judged->reason;
  } else { // the process died
    stages.reason = result.backends.empty() ? result.error : result.backends.front().message;
  }
  return stages;
}

std::vector<std::string> guiltyStages(const RungReplay& stages) {
  if (const auto first = stages.first()) {
    return {stages.rungs[*first].stage};
  }
  std::vector<std::string> unsettled;
  for (const stages::ReplayRung& rung : stages.rungs) {
    if (!isKnown(rung)) {
      unsettled.push_back(rung.stage);
    }
  }
  const bool anyHolds = std::any_of(stages.rungs.begin(), stages.rungs.end(),
                                    [](const auto& rung) { return rung.outcome == ReplayOutcome::kHolds; });
  if (!anyHolds) {
    return {};
  }
  unsettled.push_back(stages.left);
  return unsettled;
}

std::string guiltyStage(const RungReplay& stages) {
  return fmt::format("{}", fmt::join(guiltyStages(stages), ", or "));
}

std::string replayText(const RungReplay& stages) {
  if (stages.rungs.empty()) {
    return fmt::format("The stages of {} could not be judged: {}\n", stages.backend, stages.reason);
  }
  std::string text = fmt::format("The stages of {}, {}:\n", stages.backend,
                                 stages.bySubstitutes ? "each in turn replaced by what it was made from"
                                                      : "each run by itself on what the compiled code was given");
  for (const stages::ReplayRung& rung : stages.rungs) {
    text += fmt::format("  {:9}  {:10}  {}\n", rung.stage, stages::replayOutcomeName(rung.outcome), rung.adds);
    if (!rung.message.empty()) {
      text += fmt::format("    {}\n", rung.message);
    }
    for (const std::string& reason : rung.unjudged) {
      text += fmt::format("    {}: {}\n", rung.judged > 0 ? "not compared" : "why", reason);
    }
  }
  const std::string guilty = guiltyStage(stages);
  return text + (guilty.empty()   ? "None of them could be judged.\n"
                 : stages.first() ? fmt::format("First stage to go wrong: {}\n", guilty)
                                  : fmt::format("Each that was judged holds; left is {}.\n", guilty));
}

nlohmann::json replayJson(const RungReplay& stages) {
  nlohmann::json rungs = nlohmann::json::array();
  for (const stages::ReplayRung& rung : stages.rungs) {
    rungs.push_back({{"stage", rung.stage},
                     {"adds", rung.adds},
                     {"outcome", stages::replayOutcomeName(rung.outcome)},
                     {"judged", rung.judged},
                     {"message", rung.message},
                     {"unjudged", rung.unjudged}});
  }
  const auto first = stages.first();
  return {{"backend", stages.backend},
          {"reason", stages.reason},
          {"rungs", std::move(rungs)},
          {"first", first ? nlohmann::json(stages.rungs[*first].stage) : nlohmann::json()},
          {"guilty", guiltyStage(stages)}};
}

} // namespace touchstone::triage
