#pragma once

#include "backends/substitutes/Substitution.h"
#include "graph/ir/CompileReport.h"
#include "graph/ir/PassGate.h"
#include "harness/worker/Job.h"
#include "harness/worker/Profile.h"
#include "oracles/compare/Judge.h"

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace touchstone::worker {

/// One verdict with what the backend said of its compiling.
struct Judgement {
  compare::CaseVerdict verdict;
  ir::CompileReport report;
  int64_t symbols = 0; // see values::CompiledProgram
  std::vector<int64_t> recompilesByCall; // with JudgeTask::wantReasons
  compare::JudgeTimes times;
  std::shared_ptr<const ir::PassGate> gate; // where JudgeTask::passLimit asks for one
  std::vector<observe::ObservationTexts> observed; // with JudgeTask::wantObservation, by call; not of a rung
  std::optional<ir::Delegation> delegation; // of the profile's backend, where the profile has a proof
  std::vector<std::string> warnings; // of its compilers, each once
  /// Where values differ: what came of the calls when what was compiled made them once more, under another pattern in fresh
  /// memory.
  std::optional<compare::CaseVerdict> again;
};

/// The judgements on one Case, each made when it is first asked for: a backend is often a rung of another one's ladder.
class Judgements {
 public:
  /// The job and the profile outlive it; the job's task is a JudgeTask.
  Judgements(const Job& job, const language::Case& theCase, const compare::EagerReference& eager,
             const Profile& profile = noProfile());

  /// Judges the Case under one backend of this process. Tells currentProgress() each phase. What the backend refuses or
  /// raises is in the verdict.
  const Judgement& under(const std::string& backend);
  /// The same as a rung of a ladder: progress says so.
  const Judgement& underRung(const std::string& rung);
  /// Judges the Case once more, whatever is known already.
  Judgement anew(const std::string& backend) { return judge(backend); }
  /// Whether the values that differ in the call that decided `verdict` are others under another pattern in fresh memory, and
  /// the same again under the first. What was compiled has been run once more where values differ; only where that says
  /// something else is the backend asked anew, twice.
  bool readsUninitialized(const std::string& backend, const compare::CaseVerdict& verdict);
  /// Entries of the profile that changed a judgement.
  const std::set<std::string>& exclusions() const { return exclusions_; }
  /// With JudgeTask::substitute: what came of it in the last judgement.
  const std::optional<substitutes::Substituted>& substituted() const { return substituted_; }

 private:
  /// `again`: Judgement::again is wanted.
  Judgement judge(const std::string& backend, bool again = false);
  Judgement judgeUnheard(const std::string& backend, bool again); // warnings go wherever they go
  std::optional<bool> hasEagerStrides(const ir::BackendInfo& info, int call);
  void excuseUnsupported(compare::CaseVerdict& verdict);
  static const Profile& noProfile();

  const Job& job_;
  const JudgeTask& task_;
  const language::Case& case_;
  const compare::EagerReference& eager_;
  const Profile& profile_;
  language::Case given_; // to the profile's backend: with its compile options
  std::set<std::string> exclusions_;
  std::optional<substitutes::Substituted> substituted_;
  std::map<std::string, Judgement> known_;
};

/// The Case with the profile's compile options in place of its own, as the profile's backend gets it.
language::Case withOptionsOf(const Profile& profile, language::Case theCase);

/// JudgeOptions::inSteps: Programs as the native `aot_eager_decomp_partition` computes them.
evidence::StepFactory simplerSteps();

/// JudgeOptions::onPhase of every run: progress, and another pattern in fresh memory for eager's second run.
void reportPhase(const char* phase, int call, const char* step);

} // namespace touchstone::worker
