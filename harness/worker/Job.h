#pragma once

#include "graph/ir/CompileReport.h"
#include "harness/worker/Symptom.h"
#include "oracles/compare/Rules.h"
#include "oracles/observe/ObservationText.h"
#include "oracles/stages/StageRung.h"
#include "program/language/Outcome.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace touchstone::worker {

/// What a child may use before it is ended; the clocks start again with each backend and each rung of a job.
struct JobLimits {
  double eagerSeconds = 30; // of the processor: to generate or read a Case and to run it eagerly
  double backendSeconds = 30; // of the processor, under each backend: to compile the Program and to make the calls
  int64_t memoryBytes = int64_t{3} << 30; // beyond what the process had when it was forked
  double wallFactor = 4; // so many times these seconds may pass on the clock
  bool limitsAddressSpace =
      true; // false: drivers of devices map far more than they use; the CPU's tensors are still counted
};

/// One Case to be judged under some backends, as it is sent to a worker.
struct Job {
  uint64_t id = 0; // chosen by the client, unique among its jobs; comes back with the result
  std::string caseText; // a printed case file; empty: Case `index` of campaign `seed` is generated
  uint64_t seed = 0;
  uint64_t index = 0;
  bool sequences = false; // the campaign is one of call sequences
  int sameCalls = 2; // of a generated Case: see generators/decoder/Decoder.h
  std::vector<std::string>
      starts; // printed case files: Case `index` is derived from these, see generators/mutation/Derivation.h
  bool wantFeatures = false; // say what the Case exercises
  std::vector<std::string> backends; // empty: the Case is only read or generated and run eagerly
  bool wantUses = false; // say what each statement uses of the catalogue
  bool wantReasons = false; // send the reasons of recompiles and breaks too
  bool blame = true; // look for a finding's symptom down the backend's ladder
  bool wantCase = false; // send the Case back even when nothing was found
  bool wantObservation = false; // say what each call under the backends has shown
  bool onlyIfEagerReturns = false; // a Case in which eager raises is EagerRejected and not compiled
  bool runEager = true; // false: only read or generate it
  /// The smallest Case of an operator of the catalogue.
  struct Probe {
    std::string operatorName, dtype; // `sin`, `float32`
    bool backward = false;
    bool operator==(const Probe&) const = default;
  };
  std::vector<Probe> probes; // the Case is this one; several: they share one, see generators/probes/ProbeGroup.h
  std::optional<int> stagesOfCall; // nothing is judged: the native backend shows what it makes of this call
  bool twins =
      false; // a Case that is right is compiled by the native and the real pipeline, and the Graphs are compared
  bool stageRungs = false; // nothing is judged but the stages of AOTAutograd under the one backend
  std::string device; // with stagesOfCall: the arguments are claimed to be there; see backends/native/DeviceTrace.h
  bool capturesBackward = false; // with stagesOfCall: its backward runs under compiled autograd, and is shown
  std::string drawnStage; // with stagesOfCall: this one is drawn, too
  std::string text; // with stagesOfCall: how Graphs are printed, see StagesJob.h
  /// With stagesOfCall: the call's Graphs are written, each compile into a folder of its own; see graph_files::GraphDumper.
  struct GraphDump {
    std::string parent, name;
    bool withValues = false; // the call is made with its backward
  };
  std::optional<GraphDump> dumpGraphs;
  std::string graphFolder; // nothing is judged: the Graphs of this folder are run again
  std::string graphCheck; // nothing is judged: what is checked of the Case's Graphs, see GraphFilesJob.h
  bool explain = false; // with stagesOfCall: how it was captured, and what the Case's calls capture anew
  /// The passes of the native backend are counted, and `pass` stops after `limit` applications; an empty name: none does.
  struct PassLimit {
    std::string pass;
    int64_t limit = 0;
  };
  std::optional<PassLimit> passLimit;
  /// While reducing: nothing else is blamed, and the first job of a batch that shows this, origin and base outcome
  /// included, is the last that runs: those behind it come back without results.
  std::optional<Symptom> wanted;
  /// A mask that is asked before anything is compiled: what it matches is Masked under these backends.
  struct SkipMask {
    std::string id, backend; // a glob
    std::vector<std::string> lines; // see readMask()
    bool operator==(const SkipMask&) const = default;
  };
  std::vector<SkipMask> skipMasks;
  std::vector<std::string> withoutRungs; // rungs not to be tried: they ended the process before
  bool leavesOut(const std::string& rung) const;
};

/// What a call under a backend has shown, as data: for whoever compares two backends in two processes.
struct ObservedCall {
  bool agreed = false; // judged in full, and nothing differs
  std::vector<std::string> rules; // that excused something in it: `A7`
  observe::ObservationTexts texts; // with digests of values
  bool operator==(const ObservedCall& other) const = default;
};

/// What one backend made of the Case.
struct BackendResult {
  std::string backend;
  language::Outcome outcome =
      language::Outcome::kAgreed; // after blame: a finding of a weaker rung is kUpstream, one of known defects kKnown
  std::string text; // before blame, as in `# expect:` lines: `Differs/values/call 0 output 0`
  std::string symptom; // what findings are told apart by, without the backend's name
  std::vector<std::string> shows; // symptomKindsOf() its verdict
  std::string detail; // rule of Limit, rung of Upstream, defects of Known, reason of Unsupported, phase of a crash
  std::string origin; // of a finding: the weakest rung with the same symptom, or the backend itself
  std::string baseOutcome; // of a finding that is the backend's own: what its base made of the Case
  std::string message; // for a person
  bool eagerRaises = false; // in some call
  int call = 0; // that decided
  std::string where; // of a difference: `output 0`, `leaf 2`, …
  int calls = 0, judged = 0, fresh = 0;
  std::array<int, compare::kRuleCount> allowed{};
  int64_t frames = 0, graphs = 0, operations = 0, breaks = 0, recompiles = 0, compiledRuns = 0;
  ir::CompiledBackwards backwards;
  std::vector<std::string> recompileReasons, breakReasons; // with Job::wantReasons
  std::vector<ObservedCall> observed; // with Job::wantObservation, by call; empty where nothing ran to the end
  std::vector<std::string> warnings; // of compilers, each once: options that they do not know
  double compileSeconds = 0, runSeconds = 0, judgeSeconds = 0, blameSeconds = 0;
  std::vector<std::pair<std::string, int64_t>> passes; // with Job::passLimit: how often each was reached, in order
  std::string lastApplied; // where the stopped pass changed a Graph last
};

/// What the Case holds; a campaign's validity is computed from it.
struct CaseFacts {
  int operations = 0; // that reach an output
  int calls = 0;
  bool aliasedInputs = false, mutation = false, backward = false, changedCall = false;
};

/// What a stage of a native pipeline made.
struct ShownStage {
  std::string name;
  int graph = 0; // of the call, counted from 0: the captured Graph that it was made of
  std::string text;
  bool operator==(const ShownStage& other) const = default;
};

/// How the native pipeline's Graphs of a Case stand beside the real one's.
struct TwinResult {
  bool isCompared = false;
  std::string reason; // why not
  int graphs = 0; // pairs that were compared
  int imported = 0; // Graphs of the real pipeline that were taken over
  std::vector<std::string> refused; // those that were not: why
  std::vector<std::pair<std::string, std::string>> differences; // what they disagree about, a sentence
  int partitions = 0, brokenPartitions = 0; // of the real pipeline: held against the laws of a partition; with a breach
  std::vector<std::pair<std::string, std::string>> breaches; // laws that do not hold of them, a sentence
  std::vector<std::string> unjudged; // partitions that could not be: why
  bool operator==(const TwinResult& other) const = default;
};

/// What came of the stages of AOTAutograd in the compiles of one Case.
struct JudgedStages {
  std::vector<stages::StageRung> rungs; // in the order in which they work
  std::string reason; // why there are none
  bool operator==(const JudgedStages& other) const = default;
};

/// What came of running a Graph of a folder again.
struct GraphRerun {
  std::string part; // `forward`
  int64_t operators = 0;
  bool isKept = false; // on the inputs of the run that was kept, and held against it; else on inputs that were made
  std::string raised; // what the run raised
  std::string difference; // to the run that was kept; empty: none
  std::vector<std::string> outputs; // `float32 [3, 4]`
  bool operator==(const GraphRerun& other) const = default;
};

/// What came of checking how a Case's Graphs are printed, or written and read.
struct GraphCheck {
  int64_t graphs = 0, folders = 0, kept = 0; // kept: Graphs whose run was kept and made again
  std::string skipped; // why there were none
  std::vector<std::string> refused; // parts that were not written, and why
  std::vector<std::string> failures;
  std::vector<std::string> python; // texts of the Graphs, with Job::wantCase
  bool operator==(const GraphCheck& other) const = default;
};

struct JobResult {
  uint64_t id = 0;
  std::string error; // the Case could not be read: why
  std::string caseText; // printed; present for findings and where asked for
  CaseFacts facts;
  int tried = 0, rejected = 0, precluded = 0; // statements, while generating
  std::vector<std::string> acceptedOperators;
  std::string derivation; // of a Case that came from Job::starts: `mutated`; empty: it was generated
  std::vector<uint32_t> features; // with Job::wantFeatures: see generators/features/ExecutionFeatures.h
  std::vector<std::string> exclusions; // entries of the profile without which the Case or its outcome would be another
  bool notApplicable = false; // with Job::probes: eager has no such Case, of several for none
  std::vector<size_t> withoutCase, apart; // of several Job::probes, by position: those that the Case does not hold, as
      // eager has none for them, or as they need one of their own
  std::vector<std::pair<std::string, unsigned>> operatorUses; // with Job::wantUses
  std::vector<std::string> overloads; // the same
  double generateSeconds = 0, eagerSeconds = 0;
  std::vector<BackendResult> backends; // in the job's order
  std::string explanation; // with Job::explain: an object, see explanationJson()
  std::vector<ShownStage> stages; // with Job::stagesOfCall, in order
  std::vector<TwinResult> twins; // with Job::twins: one, where the Case is right under the job's backend
  std::vector<JudgedStages> stageRungs; // with Job::stageRungs: one
  std::vector<std::string> folders; // with Job::dumpGraphs
  std::vector<std::pair<std::string, std::string>> notDumped; // the same: a part, and why it could not be written
  std::vector<GraphRerun> reruns; // with Job::graphFolder
  std::vector<GraphCheck> graphChecks; // with Job::graphCheck: one
  std::string
      drawing; // with Job::drawnStage: all Graphs of it as one picture, see graphDrawing(); empty: there are none
};

/// A batch as one line of JSON without the newline, and back; throws std::runtime_error on malformed text.
struct Batch {
  JobLimits limits;
  std::vector<Job> jobs;
};
std::string batchLine(const Batch& batch);
Batch batchFromLine(const std::string& line);
std::string resultLine(const JobResult& result);
JobResult resultFromLine(const std::string& line);

} // namespace touchstone::worker
