#include "harness/campaign/Campaign.h"

#include "backends/Registry.h"
#include "base/Interrupt.h"
#include "generators/mutation/CaseMutation.h"
#include "harness/campaign/StartProgram.h"
#include "harness/pool/ProfileFlags.h"
#include "harness/triage/Confirmation.h"
#include "harness/worker/Progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

namespace touchstone::campaign {

namespace {

using language::Outcome;

report::CoverageCounts countsOf(const Coverage& coverage) {
  report::CoverageCounts counts;
  counts.seen = static_cast<int64_t>(coverage.seen());
  counts.full = coverage.isFull();
  counts.kept = static_cast<int64_t>(coverage.kept());
  for (int kind = 0; kind < features::kFeatureKindCount; ++kind) {
    const auto each = static_cast<features::FeatureKind>(kind);
    counts.byKind[std::string(features::featureKindName(each))] = coverage.seenOf(each);
  }
  return counts;
}

} // namespace

Campaign::Campaign(const FuzzOptions& options, uint64_t seed, pool::WorkerPool& pool, store::FindingStore& store,
                   EventLog& events, CampaignStart start)
    : options_(options),
      seed_(seed),
      pool_(pool),
      store_(store),
      events_(events),
      corpus_(start.corpus),
      id_(start.id),
      announcer_(events, {options.seconds, options.cases}),
      triage_(options, pool, store, announcer_, memory_, hooks()),
      coverage_(options.usesFeedback()),
      stream_(options, seed, streamOptions(start.record.has_value() ? start.record->position : 0)),
      state_(start.recordFile),
      isContinued_(start.record.has_value()) {
  tally_.isOfSequences = options.sequences;
  if (start.record.has_value()) {
    CampaignRecord& record = *start.record;
    tally_ = std::move(record.tally);
    memory_ = std::move(record.memory);
    derivedFromKept_ = record.derivedFromKept;
    coverage_.restore(record.features, std::move(record.kept));
    begin_ = -record.seconds; // run() adds what time it is
    for (report::Finding& finding : memory_.findings) {
      finding.profileFlags = pool::ProfileFlags{.file = options.profileFile}.commandLine();
    }
  }
}

TriageHooks Campaign::hooks() {
  return {.secondsLeft = [this] { return secondsLeft(); },
          .judgeNext = [this] { return judgeNext(); },
          .recount =
              [this](const std::string& backend, const Counted& before, const Counted& after) {
                tally_.backends[backend].recount(before.outcome, after.outcome, after.detail);
              },
          .endState =
              [this](const CampaignMemory& memory) {
                writeState(stream_.taken(), memory);
                state_.makeFinal();
              }};
}

StreamOptions Campaign::streamOptions(uint64_t first) {
  StreamOptions stream;
  stream.first = first;
  stream.wantFeatures = options_.countsFeatures();
  stream.wantCases = options_.usesFeedback();
  for (const baseline::KnownEntry& entry : triage_.known().skipping()) {
    stream.skipSuppressions.push_back({entry.id, entry.backend, suppressions::patternLines(*entry.pattern)});
  }
  if (!options_.sequences && (!corpus_.empty() || options_.usesFeedback())) {
    stream.starts = [this](uint64_t index) -> std::vector<store::SeedCasePtr> {
      if (!corpus_.empty() && mutation::isDerived(seed_, index, options_.corpusShare)) {
        return store::startsAmong(seed_, index, corpus_);
      }
      const bool fromKept = options_.usesFeedback() && mutation::isDerived(~seed_, index, coverage_.share());
      return fromKept ? coverage_.choose(seed_, index) : std::vector<store::SeedCasePtr>{};
    };
  }
  return stream;
}

bool Campaign::foundEnough() const {
  return options_.maximumFindings > 0 && memory_.findings.size() >= options_.maximumFindings;
}

double Campaign::secondsRun() const {
  return worker::wallSeconds() - begin_;
}

double Campaign::secondsLeft() const {
  const double end = options_.seconds.has_value() && !onlyWorks_ ? begin_ + *options_.seconds + kGraceSeconds : 1e9;
  return std::max(0.0, end - worker::wallSeconds());
}

bool Campaign::isEnough() const {
  // Cases behind an interrupted one are judged again, too: what they show may depend on it.
  return foundEnough() || secondsLeft() == 0 || state_.isFinal();
}

bool Campaign::judgeNext() {
  while (!isEnough()) {
    if (auto finished = stream_.take()) {
      takeCase(std::move(*finished));
      return true;
    }
    std::vector<worker::JobResult> results = pool_.wait();
    if (results.empty()) {
      return false;
    }
    for (worker::JobResult& each : results) {
      stream_.add(std::move(each));
    }
  }
  return false;
}

bool Campaign::workOnSuspect(bool casesAreOver) {
  if (isEnough()) {
    return false;
  }
  const size_t findings = memory_.findings.size();
  const bool worked = triage_.work(casesAreOver);
  if (memory_.findings.size() > findings || (worked && state_.isDue())) {
    writeState(stream_.taken(), memory_);
  }
  return worked;
}

void Campaign::judgeStart() {
  if (options_.judgeOnly || isContinued_ || !options_.profile.warmUp) {
    return;
  }
  for (const std::string& backend : options_.backends) {
    const ir::Family family = backends::backendInfo(backend).family;
    if (family != ir::Family::kTorch || !backends::isOfOnesOwn(backend)) {
      continue;
    }
    for (const StartCase& start : startCases(options_.profile)) {
      if (isEnough() || base::interruptRequested()) {
        return;
      }
      const worker::Job job{
          .source = worker::PrintedCase{start.text}, .backends = {backend}, .task = worker::JudgeTask{}};
      worker::JobResult result = pool_.run({{family, {pool::limitsFor(job.backends), {job}}}}).at(0);
      const std::vector<std::string> troubles = pool_.startTroubles();
      if (std::ranges::none_of(troubles,
                               [&](const std::string& each) { return each.starts_with("`" + backend + "`"); })) {
        break; // it got through
      }
      if (result.finding() != nullptr) {
        triageFailure(start.text, start.foundBy, result.backends[0]);
        tally_.add(result);
      }
    }
  }
}

void Campaign::judgeAndTriage() {
  judgeStart();
  writeState(stream_.taken(), memory_); // what is found in the first Case belongs to a campaign that can go on
  do {
    while (workOnSuspect(/*casesAreOver=*/false)) {
    }
  } while (judgeNext());
  while (!base::interruptRequested() && workOnSuspect(/*casesAreOver=*/true)) {
  }
}

void Campaign::endEarly() {
  if (memory_.queue.size() > 0 && !foundEnough()) {
    writeState(stream_.taken(), memory_);
    state_.makeFinal();
    triage_.storeUnreduced();
  }
}

CampaignResult Campaign::run() {
  begin_ += worker::wallSeconds();
  onlyWorks_ = secondsLeft() == 0 && memory_.queue.size() > 0;
  if (onlyWorks_) {
    stream_.stop();
  }
  events_.start(options_, seed_, stream_.taken());
  pool_.setTick([this] { tick(); });
  pool_.setSource([&](ir::Family family) {
    if (secondsLeft() < kGraceSeconds) {
      stream_.stop();
    }
    return stream_.next(family);
  });
  CampaignResult result;
  try {
    try {
      judgeAndTriage();
    } catch (const base::Interrupted&) { // told by the flag
    }
    endEarly();
  } catch (const store::StoreError& error) {
    result.failure = error.what();
  }
  result.interrupted = base::interruptRequested();
  const size_t waiting = memory_.queue.size();
  const bool stoppedEarly =
      result.interrupted || (foundEnough() && (!stream_.isAtEnd() || waiting > 0) && secondsLeft() > 0);
  try {
    if (result.failure.empty()) {
      writeState(stream_.taken(), memory_, /*finished=*/!stoppedEarly && waiting == 0);
    }
    const bool finished = result.failure.empty() && !stoppedEarly;
    store_.endCampaign(tally_, secondsRun(),
                       finished ? store::CampaignState::kFinished : store::CampaignState::kInterrupted);
  } catch (const store::StoreError& error) {
    result.failure = result.failure.empty() ? error.what() : result.failure;
  }
  events_.counts(tally_, /*last=*/true);
  announcer_.end();
  result.unconfirmed = std::move(memory_.unconfirmed);
  result.report = report();
  result.report.interrupted = result.interrupted;
  result.report.waiting = waiting;
  return result;
}

report::Report Campaign::report() {
  report::Report report;
  report.tally = std::move(tally_);
  report.findings = std::move(memory_.findings);
  report::sortBySeverity(report.findings);
  report.seconds = secondsRun();
  report.seed = seed_;
  for (const baseline::KnownEntry& entry : triage_.known().expired()) {
    report.expired.emplace_back(entry.id, entry.expires);
  }
  report.derivedFromKept = derivedFromKept_;
  if (options_.countsFeatures()) {
    report.coverage = countsOf(coverage_);
  }
  return report;
}

void Campaign::writeState(uint64_t position, const CampaignMemory& memory, bool finished) {
  if (!state_.isOpen()) {
    return;
  }
  const double begun = worker::wallSeconds();
  store_.writeCounts(tally_, begun - begin_); // first: the state must not say more than the store
  CampaignRecord record;
  record.id = id_;
  record.options = options_;
  record.options.seed = seed_;
  record.finished = finished;
  record.position = position;
  record.seconds = begun - begin_;
  record.tally = tally_;
  record.memory = memory;
  for (const store::SeedCasePtr& each : corpus_) {
    record.corpus[each->name] = each->content;
  }
  record.derivedFromKept = derivedFromKept_;
  record.features = coverage_.features();
  record.kept = coverage_.keptCases();
  state_.write(std::move(record), begun);
}

void Campaign::takeCase(FinishedCase finished) {
  worker::JobResult result = std::move(finished.result);
  const bool differs = std::any_of(result.backends.begin(), result.backends.end(),
                                   [](const worker::BackendResult& each) { return language::isFinding(each.outcome); });
  // An interrupt ends confirming and reducing half-way: whoever goes on deals with the whole Case again.
  const std::optional<CampaignMemory> before =
      differs && !options_.judgeOnly ? std::optional<CampaignMemory>(memory_) : std::nullopt;
  const auto endBefore = [&] {
    writeState(finished.position, *before);
    state_.makeFinal();
  };
  const size_t findings = memory_.findings.size();
  try {
    judgeCase(finished, result);
  } catch (const base::Interrupted&) {
    endBefore();
    throw;
  }
  if (before.has_value() && base::interruptRequested()) {
    endBefore();
  }
  const bool wasKept = !result.making.derivation.empty() && !finished.starts.empty() && isKept(finished);
  derivedFromKept_ += wasKept ? 1 : 0;
  tally_.add(result);
  memory_.queue.addCase();
  if (options_.countsFeatures()) {
    coverage_.add(fmt::format("seed {} case {}", seed_, finished.index), result, wasKept);
  }
  if (memory_.findings.size() > findings || state_.isDue()) {
    writeState(finished.position + 1, memory_);
  }
  tick();
}

bool Campaign::isKept(const FinishedCase& finished) const {
  return std::find(corpus_.begin(), corpus_.end(), finished.starts.front()) == corpus_.end();
}

std::string Campaign::originOf(const FinishedCase& finished, const std::string& derivation) const {
  std::string text = fmt::format("{}seed {} case {}", options_.sequences ? "sequences " : "", seed_, finished.index);
  if (!derivation.empty()) {
    text += ", " + derivation + " from ";
    const bool fromTheFirst = derivation == "continued" || derivation == "mutated";
    for (size_t i = 0; i < (fromTheFirst ? 1 : finished.starts.size()); ++i) {
      const store::SeedCase& start = *finished.starts[i];
      text += fmt::format("{}{} ({:016x})", i == 0 ? "" : " and ", start.name, start.content);
    }
  }
  return text;
}

void Campaign::judgeCase(const FinishedCase& finished, worker::JobResult& result) {
  const std::string foundBy = originOf(finished, result.making.derivation);
  store_.beginCase(foundBy);
  if (!result.error.empty()) {
    announcer_.say(fmt::format("Case {} of seed {} could not be judged: {}", finished.index, seed_, result.error));
  }
  bool eagerDied = false;
  for (worker::BackendResult& backend : result.backends) {
    const bool ofEager = backend.outcome == Outcome::kEagerCrashed || backend.outcome == Outcome::kEagerTimedOut;
    if (options_.judgeOnly) {
      blameDeath(result.caseText, backend);
      if (language::isFinding(backend.outcome)) {
        announcer_.failing(foundBy, backend);
      }
      continue;
    }
    if (ofEager && !eagerDied) {
      eagerDied = true;
      keepEagerDeath(finished, result, backend);
    } else if (language::isFinding(backend.outcome)) {
      triageFailure(result.caseText, foundBy, backend);
    }
  }
}

void Campaign::triageFailure(const std::string& caseText, const std::string& foundBy, worker::BackendResult& failed) {
  const Counted counted = triage_.take(caseText, foundBy, failed);
  failed.outcome = counted.outcome;
  failed.detail = counted.detail;
}

void Campaign::blameDeath(const std::string& caseText, worker::BackendResult& backend) {
  const std::string weaker = triage::weakerThatEndsAlike(pool_, caseText, backend);
  if (!weaker.empty()) {
    backend.outcome = Outcome::kUpstream;
    backend.origin = backend.detail = weaker;
  }
}

void Campaign::keepEagerDeath(const FinishedCase& finished, const worker::JobResult& result,
                              const worker::BackendResult& backend) {
  // Whether it was being derived when it ended the process is not told; what was asked for is.
  const bool unknown = result.caseText.empty() && !finished.starts.empty();
  const std::string foundBy = originOf(finished, unknown ? "derived" : result.making.derivation);
  std::string kind = options_.sequences ? " --sequences" : fmt::format(" --calls {}", callsOf(options_));
  for (const std::string& part : partNamesOf(options_)) {
    kind += " --part " + part;
  }
  std::string command =
      fmt::format("{} fuzz{} --seed {} --start {} --cases 1", report::programName(), kind, seed_, finished.index);
  if (unknown || !result.making.derivation.empty()) {
    command += " --corpus " + store_.writeStarts(finished.starts, finished.index) + " --corpus-share 1";
  }
  command += pool::ProfileFlags{.file = options_.profileFile}.commandLine();
  store_.writeEagerDeath(result.caseText, backend, foundBy, command);
  announcer_.say(fmt::format("Eager itself died on {}: {}", foundBy, backend.message));
}

} // namespace touchstone::campaign
