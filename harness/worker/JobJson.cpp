#include "harness/worker/Job.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <stdexcept>

namespace touchstone::stages {

static void to_json(nlohmann::json& object, const StageRung& rung) {
  object = {rung.stage, rung.adds, static_cast<int>(rung.outcome), rung.judged, rung.message, rung.unjudged};
}

static void from_json(const nlohmann::json& object, StageRung& rung) {
  rung = {object.at(0), object.at(1), static_cast<StageRung::Outcome>(object.at(2).get<int>()),
          object.at(3), object.at(4), object.at(5)};
}

} // namespace touchstone::stages

namespace touchstone::worker {

bool Job::leavesOut(const std::string& rung) const {
  return std::find(withoutRungs.begin(), withoutRungs.end(), rung) != withoutRungs.end();
}

using nlohmann::json;

static void to_json(json& object, const ShownStage& stage) {
  object = {stage.name, stage.graph, stage.text};
}

static void from_json(const json& object, ShownStage& stage) {
  stage = {object.at(0), object.at(1), object.at(2)};
}

static void to_json(json& object, const ObservedCall& call) {
  object = {call.agreed, call.rules, call.texts};
}

static void from_json(const json& object, ObservedCall& call) {
  call = {object.at(0), object.at(1), object.at(2)};
}

static void to_json(json& object, const TwinResult& twin) {
  object = {twin.isCompared,  twin.reason,     twin.graphs,           twin.imported, twin.refused,
            twin.differences, twin.partitions, twin.brokenPartitions, twin.breaches, twin.unjudged};
}

static void from_json(const json& object, TwinResult& twin) {
  twin = {object.at(0), object.at(1), object.at(2), object.at(3), object.at(4),
          object.at(5), object.at(6), object.at(7), object.at(8), object.at(9)};
}

static void to_json(json& object, const GraphRerun& rerun) {
  object = {rerun.part, rerun.operators, rerun.isKept, rerun.raised, rerun.difference, rerun.outputs};
}

static void from_json(const json& object, GraphRerun& rerun) {
  rerun = {object.at(0), object.at(1), object.at(2), object.at(3), object.at(4), object.at(5)};
}

static void to_json(json& object, const GraphCheck& check) {
  object = {check.graphs, check.folders, check.kept, check.skipped, check.refused, check.failures, check.python};
}

static void from_json(const json& object, GraphCheck& check) {
  check = {object.at(0), object.at(1), object.at(2), object.at(3), object.at(4), object.at(5), object.at(6)};
}

static void to_json(json& object, const JudgedStages& judged) {
  object = {judged.rungs, judged.reason};
}

static void from_json(const json& object, JudgedStages& judged) {
  judged = {object.at(0), object.at(1)};
}

static void to_json(json& object, const Job::Probe& probe) {
  object = {probe.operatorName, probe.dtype, probe.backward};
}

static void from_json(const json& object, Job::Probe& probe) {
  probe = {object.at(0), object.at(1), object.at(2)};
}

static void to_json(json& object, const Job::SkipMask& mask) {
  object = {mask.id, mask.backend, mask.lines};
}

static void from_json(const json& object, Job::SkipMask& mask) {
  mask = {object.at(0), object.at(1), object.at(2)};
}

namespace {

// Fields that hold their default are left out: a Case without a finding is a line of about 300 bytes.
template <class T>
void put(json& object, const char* key, const T& value) {
  if (value != T{}) {
    object[key] = value;
  }
}

template <class T>
void take(const json& object, const char* key, T& value) {
  if (auto found = object.find(key); found != object.end()) {
    found->get_to(value);
  }
}

json jobObject(const Job& job) {
  json object{{"id", job.id}, {"blame", job.blame}, {"eager", job.runEager}, {"backends", job.backends}};
  put(object, "case", job.caseText);
  put(object, "seed", job.seed);
  put(object, "index", job.index);
  put(object, "sequences", job.sequences);
  put(object, "same_calls", job.sameCalls);
  put(object, "starts", job.starts);
  put(object, "want_features", job.wantFeatures);
  put(object, "want_uses", job.wantUses);
  put(object, "want_reasons", job.wantReasons);
  put(object, "want_case", job.wantCase);
  put(object, "want_observation", job.wantObservation);
  put(object, "only_if_eager_returns", job.onlyIfEagerReturns);
  put(object, "without_rungs", job.withoutRungs);
  if (job.stagesOfCall.has_value()) {
    object["stages_of_call"] = *job.stagesOfCall;
  }
  put(object, "twins", job.twins);
  put(object, "stage_rungs", job.stageRungs);
  put(object, "device", job.device);
  put(object, "captures_backward", job.capturesBackward);
  put(object, "drawn_stage", job.drawnStage);
  put(object, "explain", job.explain);
  put(object, "text", job.text);
  put(object, "graph_folder", job.graphFolder);
  put(object, "graph_check", job.graphCheck);
  if (job.dumpGraphs.has_value()) {
    object["dump_graphs"] = {job.dumpGraphs->parent, job.dumpGraphs->name, job.dumpGraphs->withValues};
  }
  put(object, "probes", job.probes);
  put(object, "skip_masks", job.skipMasks);
  if (job.passLimit.has_value()) {
    object["pass_limit"] = {job.passLimit->pass, job.passLimit->limit};
  }
  if (job.wanted.has_value()) {
    object["wanted"] = {job.wanted->backend, job.wanted->text, job.wanted->origin, job.wanted->baseOutcome};
  }
  return object;
}

Job jobFromObject(const json& object) {
  Job job;
  take(object, "id", job.id);
  take(object, "blame", job.blame);
  take(object, "eager", job.runEager);
  take(object, "backends", job.backends);
  take(object, "case", job.caseText);
  take(object, "seed", job.seed);
  take(object, "index", job.index);
  take(object, "sequences", job.sequences);
  take(object, "same_calls", job.sameCalls);
  take(object, "starts", job.starts);
  take(object, "want_features", job.wantFeatures);
  take(object, "want_uses", job.wantUses);
  take(object, "want_reasons", job.wantReasons);
  take(object, "want_case", job.wantCase);
  take(object, "want_observation", job.wantObservation);
  take(object, "only_if_eager_returns", job.onlyIfEagerReturns);
  take(object, "without_rungs", job.withoutRungs);
  if (auto call = object.find("stages_of_call"); call != object.end()) {
    job.stagesOfCall = call->get<int>();
  }
  take(object, "twins", job.twins);
  take(object, "stage_rungs", job.stageRungs);
  take(object, "device", job.device);
  take(object, "captures_backward", job.capturesBackward);
  take(object, "drawn_stage", job.drawnStage);
  take(object, "explain", job.explain);
  take(object, "text", job.text);
  take(object, "graph_folder", job.graphFolder);
  take(object, "graph_check", job.graphCheck);
  if (auto dump = object.find("dump_graphs"); dump != object.end()) {
    job.dumpGraphs = Job::GraphDump{dump->at(0), dump->at(1), dump->at(2)};
  }
  take(object, "probes", job.probes);
  take(object, "skip_masks", job.skipMasks);
  if (auto limit = object.find("pass_limit"); limit != object.end()) {
    job.passLimit = Job::PassLimit{limit->at(0), limit->at(1)};
  }
  if (auto wanted = object.find("wanted"); wanted != object.end()) {
    job.wanted = Symptom{wanted->at(0), wanted->at(1), wanted->at(2), wanted->at(3)};
  }
  return job;
}

// One walk over the fields for both directions; `visit(key, field)`.
template <class Result, class Visit>
void walkBackendFields(Result& result, Visit visit) {
  visit("backend", result.backend);
  visit("text", result.text);
  visit("symptom", result.symptom);
  visit("shows", result.shows);
  visit("detail", result.detail);
  visit("origin", result.origin);
  visit("base_outcome", result.baseOutcome);
  visit("message", result.message);
  visit("eager_raises", result.eagerRaises);
  visit("call", result.call);
  visit("where", result.where);
  visit("calls", result.calls);
  visit("judged", result.judged);
  visit("fresh", result.fresh);
  visit("allowed", result.allowed);
  visit("frames", result.frames);
  visit("graphs", result.graphs);
  visit("operations", result.operations);
  visit("breaks", result.breaks);
  visit("recompiles", result.recompiles);
  visit("compiled_runs", result.compiledRuns);
  visit("backwards", result.backwards.backwards);
  visit("backward_captures", result.backwards.captures);
  visit("backward_graphs", result.backwards.graphs);
  visit("backward_runs", result.backwards.compiledRuns);
  visit("backward_eager_nodes", result.backwards.eagerNodes);
  visit("recompile_reasons", result.recompileReasons);
  visit("break_reasons", result.breakReasons);
  visit("observed", result.observed);
  visit("warnings", result.warnings);
  visit("compile_seconds", result.compileSeconds);
  visit("run_seconds", result.runSeconds);
  visit("judge_seconds", result.judgeSeconds);
  visit("blame_seconds", result.blameSeconds);
  visit("passes", result.passes);
  visit("last_applied", result.lastApplied);
}

template <class Result, class Visit>
void walkResultFields(Result& result, Visit visit) {
  visit("id", result.id);
  visit("error", result.error);
  visit("case", result.caseText);
  visit("tried", result.tried);
  visit("rejected", result.rejected);
  visit("precluded", result.precluded);
  visit("accepted", result.acceptedOperators);
  visit("derivation", result.derivation);
  visit("features", result.features);
  visit("exclusions", result.exclusions);
  visit("not_applicable", result.notApplicable);
  visit("without_case", result.withoutCase);
  visit("apart", result.apart);
  visit("uses", result.operatorUses);
  visit("overloads", result.overloads);
  visit("generate_seconds", result.generateSeconds);
  visit("eager_seconds", result.eagerSeconds);
  visit("case_operations", result.facts.operations);
  visit("case_calls", result.facts.calls);
  visit("aliased_inputs", result.facts.aliasedInputs);
  visit("mutation", result.facts.mutation);
  visit("backward", result.facts.backward);
  visit("changed_call", result.facts.changedCall);
  visit("stages", result.stages);
  visit("twins", result.twins);
  visit("stage_rungs", result.stageRungs);
  visit("folders", result.folders);
  visit("not_dumped", result.notDumped);
  visit("reruns", result.reruns);
  visit("graph_checks", result.graphChecks);
  visit("drawing", result.drawing);
  visit("explanation", result.explanation);
}

json parseLine(const std::string& line) {
  try {
    return json::parse(line);
  } catch (const json::exception& error) {
    throw std::runtime_error(std::string("A message between Touchstone's processes is not JSON: ") + error.what());
  }
}

// Texts come from programs and from dead processes: bytes that are not UTF-8 are replaced, never an error.
std::string dumpLine(const json& object) {
  return object.dump(-1, ' ', false, json::error_handler_t::replace);
}

} // namespace

std::string batchLine(const Batch& batch) {
  json jobs = json::array();
  for (const Job& job : batch.jobs) {
    jobs.push_back(jobObject(job));
  }
  return dumpLine(json{{"eager_seconds", batch.limits.eagerSeconds},
                       {"backend_seconds", batch.limits.backendSeconds},
                       {"wall_factor", batch.limits.wallFactor},
                       {"memory_bytes", batch.limits.memoryBytes},
                       {"limits_address_space", batch.limits.limitsAddressSpace},
                       {"jobs", std::move(jobs)}});
}

Batch batchFromLine(const std::string& line) {
  const json object = parseLine(line);
  Batch batch;
  take(object, "eager_seconds", batch.limits.eagerSeconds);
  take(object, "backend_seconds", batch.limits.backendSeconds);
  take(object, "wall_factor", batch.limits.wallFactor);
  take(object, "memory_bytes", batch.limits.memoryBytes);
  take(object, "limits_address_space", batch.limits.limitsAddressSpace);
  for (const json& job : object.at("jobs")) {
    batch.jobs.push_back(jobFromObject(job));
  }
  return batch;
}

std::string resultLine(const JobResult& result) {
  json object;
  walkResultFields(result, [&](const char* key, const auto& value) { put(object, key, value); });
  json backends = json::array();
  for (const BackendResult& backend : result.backends) {
    json entry{{"outcome", static_cast<int>(backend.outcome)}};
    walkBackendFields(backend, [&](const char* key, const auto& value) { put(entry, key, value); });
    backends.push_back(std::move(entry));
  }
  object["backends"] = std::move(backends);
  return dumpLine(object);
}

JobResult resultFromLine(const std::string& line) {
  const json object = parseLine(line);
  JobResult result;
  walkResultFields(result, [&](const char* key, auto& value) { take(object, key, value); });
  for (const json& entry : object.at("backends")) {
    BackendResult& backend = result.backends.emplace_back();
    backend.outcome = static_cast<language::Outcome>(entry.at("outcome").get<int>());
    walkBackendFields(backend, [&](const char* key, auto& value) { take(entry, key, value); });
  }
  return result;
}

} // namespace touchstone::worker
