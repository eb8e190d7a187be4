#pragma once

#include "harness/worker/JudgeBackend.h"
#include "oracles/compare/Verdict.h"

#include <functional>
#include <string>
#include <vector>

namespace touchstone::worker {

/// What is left of a finding under a backend that makes TorchScript when the known defects are avoided that have to do with
/// it (backends/compilers/KnownDefects.h).
struct KnownCause {
  std::string
      defects; // `A`, or `A and B`: without them the finding is gone, or another; empty: they have no part in it
  compare::CaseVerdict left; // what is found without them
};

/// The Cases that show KnownCause::defects, in corpus/known/; none where these are something else: an entry of a file of known
/// findings.
std::vector<std::string> filesOfDefects(const std::string& defects);
/// The same for people, to stand behind the names: `: see corpus/known/A.py and docs/torchscript.md`; empty: there are none.
std::string whereDefectsAre(const std::string& defects);

/// Judges the Case again, each time without one defect more of those that its Graphs meet and whose symptom the finding
/// has: a defect stays avoided where that changes what is found. `ownOf` takes out of a verdict what weaker pipelines
/// show, too.
KnownCause knownCauseOf(Judgements& judgements, const std::string& backend, const compare::CaseVerdict& verdict,
                        const std::function<compare::CaseVerdict(compare::CaseVerdict)>& ownOf);

} // namespace touchstone::worker
