#include "harness/campaign/Recognition.h"

#include "base/ExitStatus.h"
#include "harness/triage/StoredSuppression.h"

#include <fmt/format.h>

#include <algorithm>

namespace touchstone::campaign {

namespace {

using language::Outcome;

// A small cluster's operators are in many Programs, which may have a bug of their own: every so many are reduced all the
// same.
constexpr int64_t kSuppressedChecked = 8;

} // namespace

Shape shapeOf(const language::Case& theCase) {
  return {analysis::signatureOf(theCase), analysis::flatten(theCase)};
}

Recognition::Recognition(const FuzzOptions& options, store::FindingStore& store, CampaignMemory& memory,
                         Announcer& announcer)
    : store_(store), memory_(memory), known_(baseline::givenKnownFindings(options.known, options.today)) {
  for (const store::KnownCluster& cluster : store.clusters()) {
    try {
      if (baseline::KnownFindings suppressions = triage::suppressionsBeside(options.findings, cluster.id);
          !suppressions.entries().empty()) {
        suppressions_.emplace(cluster.id, std::move(suppressions));
      }
    } catch (const base::WrongUse& error) { // the campaign does without
      announcer.say(fmt::format("The suppression of {} is left out: {}", cluster.id, error.what()));
    }
  }
}

const baseline::KnownFindings* Recognition::suppressionsFor(const store::KnownCluster& cluster,
                                                            const worker::Symptom& symptom) const {
  const auto suppressions = suppressions_.find(cluster.id);
  const bool isAbout = suppressions != suppressions_.end() && cluster.symptom.backend == symptom.backend &&
                       cluster.symptom.origin == symptom.origin;
  return isAbout ? &suppressions->second : nullptr;
}

bool Recognition::suppressionMatches(const store::KnownCluster& cluster, const analysis::FlatProgram& program,
                                     const worker::Symptom& symptom) const {
  const baseline::KnownFindings* suppressions = suppressionsFor(cluster, symptom);
  return suppressions != nullptr && suppressions->byPattern(program, symptom) != nullptr;
}

std::vector<const baseline::KnownEntry*> Recognition::suppressionsThatMatch(const analysis::FlatProgram& program,
                                                                            const worker::Symptom& symptom) const {
  std::vector<const baseline::KnownEntry*> result = known_.allByPattern(program, symptom);
  for (const store::KnownCluster& each : store_.clusters()) {
    if (const baseline::KnownFindings* suppressions = suppressionsFor(each, symptom)) {
      const std::vector<const baseline::KnownEntry*> own = suppressions->allByPattern(program, symptom);
      result.insert(result.end(), own.begin(), own.end());
    }
  }
  return result;
}

Recognition::Recognized Recognition::recognize(const Shape& shape, const worker::Symptom& symptom, bool byClusters) {
  if (const baseline::KnownEntry* entry = known_.bySymptom(symptom)) {
    return {Counted{Outcome::kKnown, entry->id}};
  }
  if (const baseline::KnownEntry* suppression = known_.byPattern(shape.program, symptom)) {
    return {Counted{Outcome::kSuppressed, suppression->id}};
  }
  if (!byClusters) {
    return {};
  }
  const std::vector<store::KnownCluster>& clusters = store_.clusters();
  const auto found = std::find_if(clusters.begin(), clusters.end(), [&](const store::KnownCluster& each) {
    return suppressionMatches(each, shape.program, symptom) ||
           (each.symptom == symptom && analysis::isContained(each.signature, shape.signature));
  });
  if (found == clusters.end()) {
    return {};
  }
  if (++memory_.suppressedHits[found->id] % kSuppressedChecked == 0) {
    return {.isChecked = true};
  }
  // Not a hit: what it comes down to was not looked at.
  store_.note(found->id, symptom.backend, store::SightingKind::kSuppressed);
  return {Counted{memory_.newClusters.count(found->id) == 0 ? Outcome::kKnown : Outcome::kSuppressed, found->id}};
}

const store::KnownCluster* Recognition::clusterOf(const report::Finding& finding) const {
  const std::vector<store::KnownCluster>& clusters = store_.clusters();
  auto found = std::find_if(clusters.begin(), clusters.end(), [&](const auto& each) { return each.id == finding.id; });
  if (found == clusters.end() && !store_.isFixed(finding.id)) {
    const analysis::FlatProgram program = analysis::flatten(finding.reduced);
    found = std::find_if(clusters.begin(), clusters.end(), [&](const store::KnownCluster& each) {
      return each.symptom.way() == finding.symptom.way() && suppressionMatches(each, program, finding.symptom);
    });
  }
  return found != clusters.end() ? &*found : nullptr;
}

baseline::IsKnown Recognition::suppressedOtherwise(const language::Case& start, const worker::Symptom& symptom) const {
  const std::vector<const baseline::KnownEntry*> ofStart = suppressionsThatMatch(analysis::flatten(start), symptom);
  return [this, ofStart](const language::Case& theCase, const worker::Symptom& shown) {
    return baseline::holdsAnother(suppressionsThatMatch(analysis::flatten(theCase), shown), ofStart);
  };
}

} // namespace touchstone::campaign
