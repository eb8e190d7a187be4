#include "harness/report/Tally.h"

#include "backends/Registry.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <tuple>

namespace touchstone::report {

namespace {

using language::Outcome;

bool isUnjudged(Outcome outcome) {
  switch (outcome) {
    case Outcome::kUnsupported:
    case Outcome::kUnconfirmed: // neither a finding nor Agreed
    case Outcome::kEagerUnstable:
    case Outcome::kEagerRejected:
    case Outcome::kBothRejected:
    case Outcome::kEagerCrashed:
    case Outcome::kEagerTimedOut:
    case Outcome::kReference: // it is what is judged by
    case Outcome::kVacuous: return true;
    default: return false;
  }
}

bool hasDetail(Outcome outcome) {
  return outcome == Outcome::kLimit || outcome == Outcome::kUpstream || outcome == Outcome::kUnsupported ||
         outcome == Outcome::kKnown || outcome == Outcome::kSuppressed;
}

std::string detailText(Outcome outcome, const std::string& detail) {
  return fmt::format("{}({})", language::outcomeName(outcome), detail);
}

double share(int64_t part, int64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

ValidityFigure atMost(std::string name, double value, double bound) {
  return {std::move(name), fmt::format("{:.1f} %", 100 * value), fmt::format("at most {:g} %", 100 * bound),
          value <= bound};
}

ValidityFigure atLeast(std::string name, double value, double bound) {
  return {std::move(name), fmt::format("{:.1f} %", 100 * value), fmt::format("at least {:g} %", 100 * bound),
          value >= bound};
}

/// The upper one of the two in the middle.
double median(const std::map<int, int64_t>& counts) {
  int64_t left = 0;
  for (const auto& [value, count] : counts) {
    left += count;
  }
  left /= 2;
  for (const auto& [value, count] : counts) {
    left -= count;
    if (left < 0) {
      return value;
    }
  }
  return 0;
}

} // namespace

bool isNativeBackend(const std::string& name) {
  return name.rfind("torch:", 0) != 0;
}

std::map<std::string, int64_t> BackendTally::outcomesByName() const {
  std::map<std::string, int64_t> result;
  for (int i = 0; i < language::kOutcomeCount; ++i) {
    if (const int64_t cases = outcomes[static_cast<size_t>(i)]; cases > 0) {
      result[std::string(language::outcomeName(static_cast<Outcome>(i)))] = cases;
    }
  }
  return result;
}

int64_t BackendTally::judgedCases() const {
  int64_t result = -skipped;
  for (int i = 0; i < language::kOutcomeCount; ++i) {
    result += isUnjudged(static_cast<Outcome>(i)) ? 0 : outcomes[static_cast<size_t>(i)];
  }
  return result;
}

void Tally::expect(catalogue::Parts parts) {
  expectsDensity = catalogue::areDense(parts);
  expectsSymbols = parts.has(catalogue::Part::kDynamic);
}

void BackendTally::recount(Outcome before, Outcome after, const std::string& detail) {
  --outcomes[static_cast<size_t>(before)]; // a finding, of which no detail is counted
  ++outcomes[static_cast<size_t>(after)];
  if (hasDetail(after)) {
    ++details[detailText(after, detail)];
  }
}

void Tally::expect(const worker::Profile& profile) {
  for (const std::string& entry : profile.entries) {
    exclusions.try_emplace(entry, 0);
  }
  for (const worker::Profile::Feature feature :
       {worker::Profile::Feature::kBackward, worker::Profile::Feature::kMutation,
        worker::Profile::Feature::kAliasedInputs}) {
    if (profile.lacks(feature)) {
      without.push_back(feature);
    }
  }
  operationsAskedFor = std::min({operationsAskedFor, profile.minimumOperations.value_or(operationsAskedFor),
                                 profile.maximumOperations.value_or(operationsAskedFor)});
}

void Tally::add(const worker::JobResult& result) {
  ++cases;
  unreadable += result.error.empty() ? 0 : 1;
  ++operationsOfCases[result.facts.operations];
  if (!result.making.derivation.empty()) {
    ++derivations[result.making.derivation];
  }
  aliasedInputs += result.facts.aliasedInputs;
  mutation += result.facts.mutation;
  backward += result.facts.backward;
  changedCall += result.facts.changedCall;
  customOperators += result.facts.customOperators;
  changedSizes += result.facts.sizeAssignments > 1;
  if (result.making.derivation.empty() && result.error.empty()) {
    ++density.cases;
    density.statedOperations += result.facts.statedOperations;
    density.reachingOperations += result.facts.operations;
    density.backward += result.facts.backward;
    density.twoLeavesOfOneShape += result.facts.twoLeavesOfOneShape;
    if (result.facts.backward) {
      ++density.leaves[result.facts.gradientLeaves];
      ++density.paths[result.facts.gradientPath];
    }
  }
  tried += result.making.tried;
  rejected += result.making.rejected;
  precluded += result.making.precluded;
  for (const std::string& name : result.making.acceptedOperators) {
    ++acceptedOperators[name];
  }
  for (const std::string& entry : result.making.exclusions) {
    ++exclusions[entry];
  }
  generateSeconds += result.making.seconds;
  eagerSeconds += result.eagerSeconds;
  for (const worker::BackendResult& each : result.backends) {
    BackendTally& tally = backends[each.backend];
    ++tally.cases;
    ++tally.outcomes[static_cast<size_t>(each.outcome)];
    if (hasDetail(each.outcome)) {
      ++tally.details[detailText(each.outcome, each.detail)];
    }
    for (size_t rule = 0; rule < compare::kRuleCount; ++rule) {
      tally.allowed[rule] += each.allowed[rule] > 0 ? 1 : 0;
    }
    tally.skipped += each.outcome == Outcome::kSuppressed && each.counters.calls == 0 ? 1 : 0;
    tally.compiled += each.counters.graphs > 0 ? 1 : 0;
    tally.symbolic += each.counters.graphs > 0 && each.counters.symbols > 0 ? 1 : 0;
    tally.givenUp += each.counters.graphs > 0 && each.counters.specializations > 0 ? 1 : 0;
    tally.counters += each.counters;
    if (!each.delegation.empty()) {
      ++tally.delegations[each.delegation];
    }
    for (const auto& [name, share] : each.operatorShares) {
      tally.operatorShares[name] += share;
    }
  }
}

int64_t Tally::callsJudged() const {
  int64_t result = 0;
  for (const auto& [name, backend] : backends) {
    result += backend.counters.judged;
  }
  return result;
}

std::map<std::string, int64_t> Tally::excused(Outcome outcome) const {
  const std::string prefix = fmt::format("{}(", language::outcomeName(outcome));
  std::map<std::string, int64_t> result;
  for (const auto& [name, backend] : backends) {
    for (const auto& [detail, count] : backend.details) {
      if (detail.starts_with(prefix)) {
        result[detail.substr(prefix.size(), detail.size() - prefix.size() - 1)] += count;
      }
    }
  }
  return result;
}

std::map<std::string, int64_t> Tally::allowed() const {
  std::map<std::string, int64_t> result;
  for (const auto& [name, backend] : backends) {
    for (size_t rule = 0; rule < compare::kRuleCount; ++rule) {
      if (backend.allowed[rule] > 0) {
        result[std::string(compare::ruleTable()[rule].name)] += backend.allowed[rule];
      }
    }
  }
  return result;
}

double Tally::unjudgedShare() const {
  int64_t all = unreadable, judged = 0;
  for (const auto& [name, backend] : backends) {
    all += backend.cases;
    judged += backend.judgedCases();
  }
  return all == 0 ? 1 : 1 - share(judged, all);
}

void mergeResults(worker::JobResult& into, worker::JobResult&& other) {
  std::move(other.backends.begin(), other.backends.end(), std::back_inserter(into.backends));
  if (into.facts.calls == 0) {
    into.facts = other.facts;
  }
  into.making.seconds += other.making.seconds;
  into.eagerSeconds += other.eagerSeconds;
  for (std::string& entry : other.making.exclusions) {
    if (std::find(into.making.exclusions.begin(), into.making.exclusions.end(), entry) ==
        into.making.exclusions.end()) {
      into.making.exclusions.push_back(std::move(entry));
    }
  }
  if (into.error.empty()) {
    into.error = std::move(other.error);
  }
  if (into.making.derivation.empty()) {
    into.making.derivation = std::move(other.making.derivation);
  }
  const auto* features = into.as<worker::JudgeResult>();
  if (features == nullptr || features->features.empty()) {
    into.answer = std::move(other.answer);
  }
  if (into.caseText.empty()) {
    into.caseText = std::move(other.caseText);
  }
}

namespace {

/// Of Cases that are drawn dense.
void addDensityFigures(const Tally& tally, std::vector<ValidityFigure>& figures) {
  const DensityTally& density = tally.density;
  const bool hasBackward =
      std::find(tally.without.begin(), tally.without.end(), worker::Profile::Feature::kBackward) == tally.without.end();
  if (!tally.expectsDensity || density.cases == 0 || tally.operationsAskedFor < Tally().operationsAskedFor) {
    return;
  }
  const auto add = [&](const char* name, int64_t part, int64_t whole, double bound) {
    figures.push_back(atLeast(name, share(part, whole), bound));
  };
  const auto addMedian = [&](const char* name, const std::map<int, int64_t>& counts, int bound) {
    const double middle = median(counts);
    figures.push_back({name, fmt::format("{:g}", middle), fmt::format("at least {}", bound), middle >= bound});
  };
  add("operations that reach an output or a write that is seen", density.reachingOperations, density.statedOperations,
      0.8);
  if (hasBackward) {
    add("generated Cases with a backward", density.backward, density.cases, 0.6);
    add("generated Cases with two differentiable inputs of one shape", density.twoLeavesOfOneShape, density.cases,
        0.25);
    addMedian("leaves with a gradient that is not zero, median with a backward", density.leaves, 3);
    addMedian("operators with derivatives on the longest path, median with a backward", density.paths, 5);
  }
}

/// Of Cases whose sizes change. A backend of PyTorch that has seen no symbol has tested nothing of them.
void addSymbolFigures(const Tally& tally, std::vector<ValidityFigure>& figures) {
  if (!tally.expectsSymbols) {
    return;
  }
  figures.push_back(
      atLeast("Cases with two assignments of sizes or more", share(tally.changedSizes, tally.cases), 0.5));
  for (const auto& [name, backend] : tally.backends) {
    if (!isNativeBackend(name) && backend.compiled > 0) {
      figures.push_back(
          atLeast(name + ": compiled Cases with symbols", share(backend.symbolic, backend.compiled), 0.3));
      figures.back().value += backend.symbolic == 0 ? ", vacuous" : "";
    }
  }
}

} // namespace

std::vector<ValidityFigure> validityFigures(const Tally& tally) {
  std::vector<ValidityFigure> figures;
  if (tally.cases == 0) {
    return figures;
  }
  for (const auto& [name, backend] : tally.backends) {
    const auto part = [&](std::initializer_list<Outcome> outcomes) {
      int64_t sum = 0;
      for (Outcome outcome : outcomes) {
        sum += backend.count(outcome);
      }
      return share(sum, backend.cases);
    };
    // Rule A8 excuses an error of compiling where eager's full backward raises: the Program is at fault, not the backend.
    const auto early = backend.details.find("Limit(A8)");
    const double wrong = early != backend.details.end() ? share(early->second, backend.cases) : 0;
    figures.push_back(atMost(name + ": EagerRejected + Limit(A8)",
                             part({Outcome::kEagerRejected, Outcome::kBothRejected}) + wrong, 0.15));
    if (isNativeBackend(name)) {
      figures.push_back(atMost(name + ": Unsupported + BackendRejected + other Limit",
                               part({Outcome::kUnsupported, Outcome::kBackendRejected, Outcome::kLimit}) - wrong,
                               0.005));
    } else {
      figures.push_back(
          atMost(name + ": Unsupported + other Limit", part({Outcome::kUnsupported, Outcome::kLimit}) - wrong, 0.05));
    }
    figures.push_back(atMost(name + ": Vacuous", part({Outcome::kVacuous}), tally.isOfSequences ? 0.25 : 0.01));
  }
  if (tally.isOfSequences) {
    figures.push_back(atLeast("sequences with a changed call", share(tally.changedCall, tally.cases), 0.8));
    return figures;
  }
  const double operations = median(tally.operationsOfCases);
  figures.push_back({"operations that reach an output, median", fmt::format("{:g}", operations),
                     fmt::format("at least {}", tally.operationsAskedFor), operations >= tally.operationsAskedFor});
  const std::tuple<worker::Profile::Feature, const char*, int64_t> asked[] = {
      {worker::Profile::Feature::kAliasedInputs, "Cases with aliased inputs", tally.aliasedInputs},
      {worker::Profile::Feature::kMutation, "Cases with a mutation", tally.mutation},
      {worker::Profile::Feature::kBackward, "Cases with a backward", tally.backward}};
  for (const auto& [feature, name, count] : asked) {
    if (std::find(tally.without.begin(), tally.without.end(), feature) == tally.without.end()) {
      figures.push_back(atLeast(name, share(count, tally.cases), 0.2));
    }
  }
  figures.push_back(atLeast("Cases with a changed later call", share(tally.changedCall, tally.cases), 0.2));
  addDensityFigures(tally, figures);
  addSymbolFigures(tally, figures);
  return figures;
}

} // namespace touchstone::report
