#include "harness/worker/CaseJob.h"

#include "backends/Backend.h"
#include "backends/Registry.h"
#include "generators/decoder/Decoder.h"
#include "generators/features/CaseFeatures.h"
#include "generators/features/ExecutionFeatures.h"
#include "generators/mutation/Derivation.h"
#include "generators/probes/ProbeGroup.h"
#include "generators/sequences/Sequences.h"
#include "harness/suppressions/Mask.h"
#include "harness/worker/Device.h"
#include "harness/worker/FillAllocator.h"
#include "harness/worker/GraphFilesJob.h"
#include "harness/worker/JudgeBackend.h"
#include "harness/worker/KnownCause.h"
#include "harness/worker/PreparedBackends.h"
#include "harness/worker/Progress.h"
#include "harness/worker/RedZones.h"
#include "harness/worker/StageRungsJob.h"
#include "harness/worker/StagesJob.h"
#include "harness/worker/TwinJob.h"
#include "oracles/compare/Judge.h"
#include "program/parser/CaseParser.h"
#include "program/standalone/CaseFile.h"

#include <fnmatch.h>

#include <algorithm>
#include <map>

namespace touchstone::worker {

namespace {

using language::Outcome;

void takeStatistics(decoder::DecodeStatistics statistics, JobResult& result) {
  result.tried = statistics.tried;
  result.rejected = statistics.rejected;
  result.precluded = statistics.precluded;
  result.acceptedOperators = std::move(statistics.accepted);
  result.operatorUses = std::move(statistics.uses);
  result.overloads = std::move(statistics.overloads);
}

/// Switches off what the profile does without, and notes where that makes a difference.
void applyProfile(const Profile& profile, decoder::DecodeOptions& options, catalogue::Exclusions& exclusions) {
  catalogue::Features& features = options.features;
  const std::pair<Profile::Feature, bool catalogue::Features::*> switches[] = {
      {Profile::Feature::kBackward, &catalogue::Features::backward},
      {Profile::Feature::kMutation, &catalogue::Features::mutation},
      {Profile::Feature::kAliasedInputs, &catalogue::Features::aliasedInputs},
      {Profile::Feature::kRandom, &catalogue::Features::random},
      {Profile::Feature::kModules, &catalogue::Features::modules},
      {Profile::Feature::kDataBranches, &catalogue::Features::dataBranches}};
  for (const auto& [feature, entry] : profile.without) {
    for (const auto& [known, member] : switches) {
      if (known == feature && features.*member) {
        features.*member = false;
        exclusions.hit.insert(entry);
      }
    }
  }
  for (const Profile::Feature feature : profile.always) {
    for (const auto& [known, member] : switches) {
      features.*member = features.*member || known == feature;
    }
  }
  features.minimumOperations = profile.minimumOperations.value_or(features.minimumOperations);
  features.maximumOperations = profile.maximumOperations.value_or(features.maximumOperations);
  features.minimumOperations = std::min(features.minimumOperations, features.maximumOperations);
  options.maximumRank = profile.maximumRank.value_or(options.maximumRank);
  options.maximumElements = profile.maximumElements.value_or(options.maximumElements);
  if (!exclusions.operators.empty() || !exclusions.dtypes.empty()) {
    features.exclusions = &exclusions;
  }
}

/// None when nothing that eager takes comes of the stored Cases: the Case is generated then.
std::optional<language::Case> deriveCase(const Job& job, JobResult& result) {
  Progress& progress = currentProgress();
  progress.enter("parse");
  std::vector<language::Case> starts;
  for (const std::string& text : job.starts) {
    starts.push_back(parser::parsePrinted(text));
  }
  progress.enter("derive");
  decoder::DecodeStatistics statistics;
  decoder::DecodeOptions options;
  options.features = catalogue::featuresOf(job.seed, job.index);
  options.onRecord = [&](int record) { progress.record = record; };
  options.statistics = &statistics;
  options.sameCalls = job.sameCalls;
  std::optional<mutation::DerivedCase> derived = mutation::deriveCase(job.seed, job.index, starts, options);
  if (!derived) {
    return std::nullopt;
  }
  takeStatistics(std::move(statistics), result);
  result.derivation = mutation::derivationName(derived->derivation);
  return std::move(derived->theCase);
}

/// What the profile asks of every Case.
bool hasAlways(const language::Case& theCase, const Profile& profile) {
  if (profile.always.empty()) {
    return true;
  }
  const features::CaseFeatures features = features::describeCase(theCase);
  const std::map<Profile::Feature, bool> has{{Profile::Feature::kBackward, features.backward},
                                             {Profile::Feature::kMutation, features.mutation},
                                             {Profile::Feature::kAliasedInputs, features.aliasedInputs}};
  return std::all_of(profile.always.begin(), profile.always.end(),
                     [&](Profile::Feature feature) { return has.at(feature); });
}

language::Case generateCase(const Job& job, const Profile& profile, JobResult& result) {
  Progress& progress = currentProgress();
  progress.enter("decode");
  if (job.sequences) {
    return sequences::makeSequence(job.seed, job.index);
  }
  if (!job.starts.empty()) {
    if (std::optional<language::Case> derived = deriveCase(job, result)) {
      return std::move(*derived);
    }
    progress.enter("decode");
  }
  decoder::DecodeStatistics statistics;
  decoder::DecodeOptions options;
  options.features = catalogue::featuresOf(job.seed, job.index);
  catalogue::Exclusions exclusions = profile.exclusions;
  applyProfile(profile, options, exclusions);
  options.onRecord = [&](int record) { progress.record = record; };
  options.statistics = &statistics;
  options.wantUses = job.wantUses;
  options.sameCalls = job.sameCalls;
  // A third of all Cases have a backward; more have a write, or arguments that share memory.
  constexpr uint64_t kAttempts = 50;
  const auto noted = exclusions.hit;
  language::Case decoded;
  bool isWanted = false;
  for (uint64_t attempt = 0; attempt < kAttempts && !isWanted; ++attempt) {
    statistics = {};
    exclusions.hit = noted;
    const uint64_t seed = job.seed + attempt * 0x9e3779b97f4a7c15; // of another stream of Recipes
    decoded = decoder::decode(catalogue::makeRecipe(seed, job.index, options.features), options);
    isWanted = hasAlways(decoded, profile);
  }
  if (!isWanted) {
    exclusions.hit.insert("features always: not met");
  }
  result.exclusions.assign(exclusions.hit.begin(), exclusions.hit.end());
  takeStatistics(std::move(statistics), result);
  return decoded;
}

language::Case probeCase(const Job& job, JobResult& result) {
  currentProgress().enter("decode");
  std::vector<probes::ProbeSpecification> probes;
  for (const Job::Probe& each : job.probes) {
    probes.push_back({each.operatorName, *dtypeFromName(each.dtype), each.backward});
  }
  if (probes.size() == 1) {
    std::optional<language::Case> made = probes::probeCase(probes.front());
    result.notApplicable = !made.has_value();
    return made.value_or(language::Case());
  }
  probes::ProbeGroup group = probes::probeGroup(probes);
  for (size_t position = 0; position < probes.size(); ++position) {
    switch (group.places[position]) {
      case probes::ProbePlace::kInside: break;
      case probes::ProbePlace::kApart: result.apart.push_back(position); break;
      case probes::ProbePlace::kNotApplicable: result.withoutCase.push_back(position); break;
    }
  }
  result.notApplicable = group.theCase.functions.empty();
  return std::move(group.theCase);
}

language::Case makeCase(const Job& job, const Profile& profile, JobResult& result) {
  if (!job.probes.empty()) {
    return probeCase(job, result);
  }
  if (job.caseText.empty()) {
    return generateCase(job, profile, result);
  }
  currentProgress().enter("parse");
  return parser::parsePrinted(job.caseText);
}

CaseFacts factsOf(const language::Case& theCase) {
  const features::CaseFeatures features = features::describeCase(theCase);
  return {features.operationsReachingOutput,
          static_cast<int>(theCase.calls.size()),
          features.aliasedInputs,
          features.mutation,
          features.backward,
          features.changedCall};
}

/// The further properties that differ in the call, as the end of its message.
std::string alsoText(const compare::CallVerdict& call) {
  std::string text;
  for (const language::Property property : call.alsoDiffers) {
    text += (text.empty() ? "; also differ: " : ", ") + std::string(language::propertyName(property));
  }
  return text;
}

bool raises(const observe::CaseObservation& observation) {
  return std::any_of(observation.calls.begin(), observation.calls.end(), [](const observe::CallObservation& call) {
    return call.exception.has_value() || call.backwardException.has_value();
  });
}

/// What a call says that reached a limit of our evaluator. A backend has no such limits: it would use up memory and time.
std::string limitReached(const observe::CaseObservation& observation) {
  for (const observe::CallObservation& call : observation.calls) {
    for (const auto& exception : {call.exception, call.backwardException}) {
      if (exception.has_value() && exception->isLimit) {
        return exception->type + ": " + exception->message;
      }
    }
  }
  return "";
}

/// Why no backend is asked.
struct EagerTrouble {
  Outcome outcome = Outcome::kEagerRejected;
  std::string message;
};

BackendResult notAsked(const std::string& name, const EagerTrouble& why) {
  BackendResult result;
  result.message = why.message;
  result.backend = name;
  result.outcome = why.outcome;
  result.text = language::outcomeName(why.outcome);
  return result;
}

/// Backends under which a mask matches the Case, and its id.
std::map<std::string, std::string> skippedBackends(const Job& job, const language::Case& theCase) {
  std::map<std::string, std::string> skipped;
  if (job.skipMasks.empty()) {
    return skipped;
  }
  const analysis::FlatProgram program = analysis::flatten(theCase);
  static std::map<std::vector<std::string>, suppressions::Mask> masks; // reading one takes longer than asking it
  for (const Job::SkipMask& each : job.skipMasks) {
    auto mask = masks.find(each.lines);
    mask = mask != masks.end() ? mask : masks.emplace(each.lines, suppressions::readMask(each.lines)).first;
    if (!suppressions::matches(mask->second, program)) {
      continue;
    }
    for (const std::string& name : job.backends) {
      if (fnmatch(each.backend.c_str(), name.c_str(), 0) == 0) {
        skipped.emplace(name, each.id);
      }
    }
  }
  return skipped;
}

BackendResult skippedResult(const std::string& name, const std::string& mask) {
  BackendResult result;
  result.backend = name;
  result.outcome = Outcome::kMasked;
  result.text = language::outcomeName(result.outcome);
  result.detail = mask;
  return result;
}

/// What eager did, while it made the Case or ran it, after which nothing can be compared.
std::optional<EagerTrouble> troubleWithEager(const Job& job, const observe::CaseObservation& eager) {
  checkAllZones();
  if (const std::optional<OutOfBoundsWrite> write = takeOutOfBoundsWrite()) {
    return EagerTrouble{Outcome::kEagerCrashed, write->message};
  }
  const std::string limit = limitReached(eager);
  if (!limit.empty() || (job.onlyIfEagerReturns && raises(eager))) {
    return EagerTrouble{Outcome::kEagerRejected, limit};
  }
  return std::nullopt;
}

/// What a reducer would see in these differences, whichever of them decides in the end.
bool mayShow(const compare::CaseVerdict& verdict, const Symptom& wanted) {
  for (const compare::CallVerdict& call : verdict.calls) {
    for (const compare::Difference& each : call.differences) {
      compare::CaseVerdict alone;
      alone.calls.emplace_back().setDifferences({each});
      for (const Outcome outcome : {Outcome::kDiffers, Outcome::kReadsUninitialized}) {
        alone.outcome = alone.calls[0].outcome = outcome;
        if (symptomText(alone.symptom()) == wanted.text) {
          return true;
        }
      }
    }
  }
  return symptomText(verdict.symptom()) == wanted.text;
}

/// By a weaker pipeline, or a known defect.
bool isExcused(const BackendResult& result) {
  return result.outcome == Outcome::kUpstream || result.outcome == Outcome::kKnown;
}

/// Takes out of `verdict` what a weaker pipeline shows, too.
compare::CaseVerdict beyondLadder(const Job& job, Judgements& judgements, const std::string& backend,
                                  compare::CaseVerdict verdict) {
  for (const std::string& rung : backends::blamedBefore(preparedBackend(backend).info())) {
    if (!job.leavesOut(rung) && language::isFinding(verdict.outcome)) {
      verdict = compare::beyond(verdict, judgements.underRung(rung).verdict);
    }
  }
  return verdict;
}

/// Takes out of `verdict`, a finding, what known defects of the compiler show.
void excuseKnown(const Job& job, Judgements& judgements, compare::CaseVerdict& verdict, BackendResult& result) {
  const KnownCause cause = knownCauseOf(judgements, result.backend, verdict, [&](compare::CaseVerdict left) {
    return beyondLadder(job, judgements, result.backend, std::move(left));
  });
  if (cause.defects.empty()) {
    return;
  }
  if (language::isFinding(cause.left.outcome)) {
    verdict = cause.left;
  } else {
    result.outcome = Outcome::kKnown;
    result.detail = cause.defects;
  }
}

/// Asks the weaker pipelines, weakest first: whose bug is it? What one of them shows too is taken out of `verdict`.
void blame(const Job& job, Judgements& judgements, compare::CaseVerdict& verdict, BackendResult& result) {
  const double begin = wallSeconds();
  for (const std::string& rung : backends::blamedBefore(preparedBackend(result.backend).info())) {
    if (job.leavesOut(rung)) {
      result.baseOutcome = "Crashed";
      continue;
    }
    const compare::CaseVerdict& base = judgements.underRung(rung).verdict;
    result.baseOutcome = base.text();
    compare::CaseVerdict left = compare::beyond(verdict, base);
    if (!language::isFinding(left.outcome)) {
      result.outcome = Outcome::kUpstream;
      result.origin = result.detail = rung;
      break;
    }
    verdict = std::move(left);
    const auto call = static_cast<size_t>(verdict.call);
    if (call < base.calls.size() && base.calls[call].judged) {
      result.baseOutcome = language::outcomeName(Outcome::kAgreed); // on this symptom, whatever else it shows
    }
  }
  if (result.outcome != Outcome::kUpstream) {
    excuseKnown(job, judgements, verdict, result);
  }
  if (!isExcused(result) && judgements.readsUninitialized(result.backend, verdict)) {
    verdict.outcome = verdict.calls[static_cast<size_t>(verdict.call)].outcome = Outcome::kReadsUninitialized;
  }
  result.blameSeconds = wallSeconds() - begin;
}

void describe(const compare::CaseVerdict& verdict, BackendResult& result) {
  result.outcome = isExcused(result) ? result.outcome : verdict.outcome;
  result.text = verdict.text();
  if (verdict.outcome == Outcome::kAgreed || verdict.calls.empty()) {
    return;
  }
  const compare::CallVerdict& worst = verdict.worst();
  if (!isExcused(result)) {
    result.detail = worst.detail;
  }
  result.message = worst.message + alsoText(worst);
  result.symptom = verdict.symptom();
  result.shows = symptomKindsOf(verdict);
  result.call = verdict.call;
  result.where = worst.where;
}

/// By call; nothing where not every call has a verdict.
std::vector<ObservedCall> observedCalls(const Judgement& judgement) {
  std::vector<ObservedCall> calls;
  if (judgement.observed.size() != judgement.verdict.calls.size()) {
    return calls;
  }
  for (size_t i = 0; i < judgement.observed.size(); ++i) {
    const compare::CallVerdict& verdict = judgement.verdict.calls[i];
    ObservedCall& call = calls.emplace_back();
    call.agreed = verdict.judged && verdict.outcome == Outcome::kAgreed;
    for (const compare::RuleEntry& rule : compare::ruleTable()) {
      if (compare::has(verdict.allowed, rule.rule)) {
        call.rules.emplace_back(rule.name);
      }
    }
    call.texts = judgement.observed[i];
  }
  return calls;
}

BackendResult runBackend(const Job& job, const std::string& name, Judgements& judgements) {
  currentProgress().beginBackend(name);
  const Judgement& judgement = judgements.under(name);
  compare::CaseVerdict verdict = judgement.verdict;
  BackendResult result;
  result.backend = name;
  result.allowed = verdict.allowed;
  result.calls = static_cast<int>(verdict.calls.size());
  for (const compare::CallVerdict& call : verdict.calls) {
    result.judged += call.judged ? 1 : 0;
    result.fresh += call.fresh ? 1 : 0;
  }
  const ir::CompileReport& report = judgement.report;
  result.frames = report.frames;
  result.graphs = report.graphs;
  result.operations = report.operations;
  result.compiledRuns = report.compiledRuns;
  result.backwards = report.backwards;
  result.breaks = static_cast<int64_t>(report.breaks.size());
  result.recompiles = static_cast<int64_t>(report.recompiles.size());
  if (job.wantReasons) {
    result.recompileReasons = report.recompiles;
    result.breakReasons = report.breaks;
  }
  result.compileSeconds = std::max(report.compileSeconds, judgement.times.compile);
  result.runSeconds = judgement.times.run;
  result.judgeSeconds = judgement.times.judge;
  result.observed = observedCalls(judgement);
  result.warnings = judgement.warnings;
  if (judgement.gate != nullptr) {
    result.passes = judgement.gate->counts();
    result.lastApplied = judgement.gate->last();
  }
  if (language::isFinding(verdict.outcome)) {
    result.origin = name;
    if (job.blame && (!job.wanted.has_value() || mayShow(verdict, *job.wanted))) {
      blame(job, judgements, verdict, result);
    }
  }
  describe(verdict, result);
  return result;
}

} // namespace

JobResult runCaseJob(const Job& job, const Profile& profile) {
  if (!job.graphFolder.empty()) {
    return rerunGraphs(job);
  }
  if (job.stagesOfCall.has_value()) {
    return runStagesJob(job);
  }
  JobResult result;
  const double begin = wallSeconds();
  language::Case theCase = makeCase(job, profile, result);
  result.generateSeconds = wallSeconds() - begin;
  if (result.notApplicable) {
    return result;
  }
  if (!profile.device.empty()) {
    theCase.setHeader(language::kDeviceHeader, profile.device);
  }
  theCase.compile.dynamic = profile.setsDynamic ? profile.compile.dynamic : theCase.compile.dynamic;
  for (language::CallSpec& call : theCase.calls) {
    call.compiledAutograd = call.compiledAutograd || (profile.compilesBackwards && call.backward);
  }
  theCase.compile.fullgraph = profile.setsFullgraph ? profile.compile.fullgraph : theCase.compile.fullgraph;
  if (!job.graphCheck.empty()) {
    result.graphChecks.push_back(checkGraphs(job, theCase));
    return result;
  }
  if (job.stageRungs) {
    for (const std::string& backend : job.backends) { // none: what there is to say of it was said when it died
      result.stageRungs.push_back(runStageRungs(theCase, backend, profile));
    }
    return result;
  }
  judgeCase(job, theCase, result, profile);
  // Vacuous, too: only the first call is compiled for them.
  const auto isRight = [](const BackendResult& each) {
    return each.outcome == language::Outcome::kAgreed || each.outcome == language::Outcome::kVacuous;
  };
  if (job.twins && !result.backends.empty() && isRight(result.backends.front())) {
    result.twins.push_back(runTwins(theCase));
  }
  return result;
}

void judgeCase(const Job& job, const language::Case& theCase, JobResult& result, const Profile& profile) {
  result.facts = factsOf(theCase);
  bool sendCase = job.wantCase;
  const std::map<std::string, std::string> skipped = skippedBackends(job, theCase);
  if (!skipped.empty() && skipped.size() == job.backends.size()) {
    for (const std::string& name : job.backends) {
      result.backends.push_back(skippedResult(name, skipped.at(name)));
    }
  } else if (job.runEager) {
    const double beforeEager = wallSeconds();
    compare::JudgeOptions options;
    options.onPhase = reportPhase;
    options.inSteps = simplerSteps();
    reportPhase("eager", -1, "");
    const compare::EagerReference eager(theCase, options);
    result.eagerSeconds = wallSeconds() - beforeEager;
    if (job.wantFeatures) {
      reportPhase("features", -1, "");
      result.features = features::executionFeatures(theCase);
    }
    endIfDeviceFailed(theCase);
    const bool eagerRaises = raises(eager.first());
    const std::optional<EagerTrouble> trouble = troubleWithEager(job, eager.first());
    Judgements judgements(job, theCase, eager, profile);
    for (const std::string& name : job.backends) {
      const auto skip = skipped.find(name);
      result.backends.push_back(skip != skipped.end() ? skippedResult(name, skip->second)
                                : trouble             ? notAsked(name, *trouble)
                                                      : runBackend(job, name, judgements));
      BackendResult& last = result.backends.back();
      last.eagerRaises = eagerRaises;
      sendCase = sendCase || language::isFinding(last.outcome) || last.outcome == Outcome::kEagerCrashed;
    }
    result.exclusions.insert(result.exclusions.end(), judgements.exclusions().begin(), judgements.exclusions().end());
  }
  if (sendCase) {
    currentProgress().enter("print");
    result.caseText = standalone::printCase(theCase);
  }
}

} // namespace touchstone::worker
