#pragma once

#include "graph/ir/BackendInfo.h"
#include "harness/pool/WorkerPool.h"
#include "harness/report/Finding.h"
#include "harness/triage/RungReplay.h"

#include <optional>
#include <string>
#include <vector>

namespace touchstone::triage {

/// The rungs of a family, weakest first. Only pipelines that exist are rungs.
const std::vector<report::Rung>& ladderOf(ir::Family family);
/// The rungs up to a backend, see backends::ladderTo(); of a rung of its family's ladder those of that one, whatever base a
/// profile gives it. Throws std::invalid_argument for an unknown name.
std::vector<report::Rung> ladderTo(const std::string& backend);

/// The Case judged in full under each rung: outputs, gradients, mutations, aliasing, versions.
struct Ladder {
  std::vector<report::Rung> rungs;
  std::vector<worker::BackendResult> results; // by rung
  /// The rung that the question is about: whether it differs, and since when. None: it could not be judged.
  std::optional<size_t> top;
  /// The lowest rung from which on every judged one up to `top` shows its symptom: the outcome, and the property or the
  /// exception class. A rung that could not be judged neither makes nor breaks the chain, nor does one that raises or dies
  /// in another way: what it would have shown is not known. None: `top` agrees.
  std::optional<size_t> first;
  /// Those of `first`; none: not asked for, or it has none.
  std::optional<RungReplay> stages;
  /// What `top` makes of it with `dynamic=False` and without marks of dimensions, the rung `dynamic`. None: the Case asks for no symbolic
  /// sizes, `top` agrees, or it is native.
  std::optional<worker::BackendResult> statically;

  bool differs(size_t rung) const;
  /// It differs, and not between `first` and `top`.
  bool differsForItsOwnReason(size_t rung) const;
  bool anyDiffers() const;
};

enum class Top {
  kStrongestJudged, // the last rung that differs or agrees: Vacuous (in the calls that there are) and BothRejected, too
  kLast,
};
/// Throws std::runtime_error where a rung gives no result, Interrupted.
Ladder climb(const std::string& caseText, std::vector<report::Rung> rungs, const pool::RunJob& run, Top top);

/// Compared with eager, and the same.
bool agrees(const worker::BackendResult& result);
/// The kind of symptom that decided a result; see symptomKindsOf().
std::string decidingKind(const worker::BackendResult& result);
/// Whether a result is a finding that shows this kind of symptom, too.
bool showsKind(const worker::BackendResult& result, const std::string& kind);

/// Whether a result says that a kind of symptom, which it does not show, is not there. What raises or dies hides the rest.
bool excludesOthers(const worker::BackendResult& result);

/// Fills in Ladder::stages, by more runs of the Case.
void judgeReplays(Ladder& ladder, const std::string& caseText, const pool::RunJob& run);

/// The Case compiled for the sizes that calls have: `dynamic=False`, and no mark of a dimension. None: it is so already, or it cannot
/// be read.
std::optional<std::string> withoutSymbols(const std::string& caseText);

/// The rung whose stage makes a finding: that of the chain up to its backend, see Ladder::first. Where it has stages below,
/// Rung::adds goes on with the guilty one; where the symptom is gone without symbolic sizes, with that. None: climbing does not show the finding again.
std::optional<report::Rung> stageOf(const std::string& caseText, const worker::BackendResult& finding,
                                    const pool::RunJob& run);

/// A line a rung: its name, what came of it, and what it adds; under one that differs, the first difference. Then the stages
/// below the first.
std::string ladderText(const Ladder& ladder);

} // namespace touchstone::triage
