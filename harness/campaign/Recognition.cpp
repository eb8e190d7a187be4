#include "harness/campaign/Recognition.h"

#include "base/ExitStatus.h"
#include "harness/triage/StoredMask.h"

#include <fmt/format.h>

#include <algorithm>

namespace touchstone::campaign {

namespace {

using language::Outcome;

// A small cluster's operators are in many Programs, which may have a bug of their own: every so many are reduced all the
// same.
constexpr int64_t kMaskChecked = 8;

} // namespace

Shape shapeOf(const language::Case& theCase) {
  return {analysis::signatureOf(theCase), analysis::flatten(theCase)};
}

Recognition::Recognition(const FuzzOptions& options, store::FindingStore& store, CampaignMemory& memory,
                         Announcer& announcer)
    : store_(store), memory_(memory), known_(baseline::givenKnownFindings(options.known, options.today)) {
  for (const store::KnownCluster& cluster : store.clusters()) {
    try {
      if (baseline::KnownFindings masks = triage::masksBeside(options.findings, cluster.id); !masks.entries().empty()) {
        masks_.emplace(cluster.id, std::move(masks));
      }
    } catch (const base::WrongUse& error) { // the campaign does without
      announcer.say(fmt::format("The mask of {} is left out: {}", cluster.id, error.what()));
    }
  }
}

const baseline::KnownFindings* Recognition::masksFor(const store::KnownCluster& cluster,
                                                     const worker::Symptom& symptom) const {
  const auto masks = masks_.find(cluster.id);
  const bool isAbout =
      masks != masks_.end() && cluster.symptom.backend == symptom.backend && cluster.symptom.origin == symptom.origin;
  return isAbout ? &masks->second : nullptr;
}

bool Recognition::maskMatches(const store::KnownCluster& cluster, const analysis::FlatProgram& program,
                              const worker::Symptom& symptom) const {
  const baseline::KnownFindings* masks = masksFor(cluster, symptom);
  return masks != nullptr && masks->byMask(program, symptom) != nullptr;
}

std::vector<const baseline::KnownEntry*> Recognition::masksThatMatch(const analysis::FlatProgram& program,
                                                                     const worker::Symptom& symptom) const {
  std::vector<const baseline::KnownEntry*> result = known_.allByMask(program, symptom);
  for (const store::KnownCluster& each : store_.clusters()) {
    if (const baseline::KnownFindings* masks = masksFor(each, symptom)) {
      const std::vector<const baseline::KnownEntry*> own = masks->allByMask(program, symptom);
      result.insert(result.end(), own.begin(), own.end());
    }
  }
  return result;
}

Recognition::Recognized Recognition::recognize(const Shape& shape, const worker::Symptom& symptom, bool byClusters) {
  if (const baseline::KnownEntry* entry = known_.bySymptom(symptom)) {
    return {Counted{Outcome::kKnown, entry->id}};
  }
  if (const baseline::KnownEntry* mask = known_.byMask(shape.program, symptom)) {
    return {Counted{Outcome::kMasked, mask->id}};
  }
  if (!byClusters) {
    return {};
  }
  const std::vector<store::KnownCluster>& clusters = store_.clusters();
  const auto found = std::find_if(clusters.begin(), clusters.end(), [&](const store::KnownCluster& each) {
    return maskMatches(each, shape.program, symptom) ||
           (each.symptom == symptom && analysis::isContained(each.signature, shape.signature));
  });
  if (found == clusters.end()) {
    return {};
  }
  if (++memory_.maskedHits[found->id] % kMaskChecked == 0) {
    return {.isChecked = true};
  }
  // Not a hit: what it comes down to was not looked at.
  store_.note(found->id, symptom.backend, store::SightingKind::kMasked);
  return {Counted{memory_.newClusters.count(found->id) == 0 ? Outcome::kKnown : Outcome::kMasked, found->id}};
}

const store::KnownCluster* Recognition::clusterOf(const report::Finding& finding) const {
  const std::vector<store::KnownCluster>& clusters = store_.clusters();
  auto found = std::find_if(clusters.begin(), clusters.end(), [&](const auto& each) { return each.id == finding.id; });
  if (found == clusters.end() && !store_.isFixed(finding.id)) {
    const analysis::FlatProgram program = analysis::flatten(finding.reduced);
    found = std::find_if(clusters.begin(), clusters.end(), [&](const store::KnownCluster& each) {
      return each.symptom.way() == finding.symptom.way() && maskMatches(each, program, finding.symptom);
    });
  }
  return found != clusters.end() ? &*found : nullptr;
}

baseline::IsKnown Recognition::maskedOtherwise(const language::Case& start, const worker::Symptom& symptom) const {
  const std::vector<const baseline::KnownEntry*> ofStart = masksThatMatch(analysis::flatten(start), symptom);
  return [this, ofStart](const language::Case& theCase, const worker::Symptom& shown) {
    return baseline::holdsAnother(masksThatMatch(analysis::flatten(theCase), shown), ofStart);
  };
}

} // namespace touchstone::campaign
