#include "harness/campaign/Announcer.h"

#include "base/Words.h"
#include "harness/report/Report.h"

#include <fmt/format.h>

namespace touchstone::campaign {

void Announcer::progress(const report::Tally& tally, size_t findings) {
  display_.update(tally, findings, activity_);
  events_.counts(tally);
}

void Announcer::finding(const report::Finding& finding) {
  events_.finding(finding);
  say(fmt::format(
      "FINDING {} ({}, {}): {}\n{}  {}", finding.id, language::severityName(worker::severityOf(finding.symptom)),
      base::counted(finding.operations, "operator"), finding.symptom.line() + report::regressionText(finding),
      finding.stage ? "  stage: " + report::stageText(finding.stage) + "\n" : "", report::replayCommand(finding)));
}

void Announcer::confirmed(const std::string& foundBy, const worker::Symptom& symptom) {
  events_.confirmed(foundBy, symptom);
  say(fmt::format("confirmed, {}: {}, {}", language::severityName(worker::severityOf(symptom)), symptom.line(),
                  foundBy));
}

void Announcer::replaced(const std::string& id, const std::string& by) {
  events_.replaced(id, by);
  say(fmt::format("{} is {} now: it had not been reduced to its end.", id, by));
}

} // namespace touchstone::campaign
