#include "harness/worker/KnownCause.h"

#include "backends/Registry.h"
#include "backends/compilers/KnownDefects.h"
#include "graph/program/Outcome.h"

#include <set>
#include <string_view>
#include <utility>

namespace touchstone::harness {

namespace {

using Names = std::set<std::string_view>;

bool begins(const std::string& text, std::string_view beginning) {
  return text.rfind(beginning, 0) == 0;
}

bool shows(const oracles::CaseVerdict& verdict, const backends::KnownDefect& defect) {
  const std::string text = verdict.text();
  const bool isOfGradient = begins(text, "Differs/gradient") || begins(text, "BackendRejected/backward");
  return (defect.symptom.empty() ? !isOfGradient : begins(text, defect.symptom)) &&
         verdict.worst().message.find(defect.message) != std::string::npos;
}

/// With the defects that the Case's Graphs have met.
std::pair<oracles::CaseVerdict, Names> judgeWithout(Judgements& judgements, const std::string& backend,
                                                    const Names& avoided) {
  const backends::DefectsAvoided scope(avoided);
  oracles::CaseVerdict verdict = judgements.anew(backend).verdict;
  return {std::move(verdict), scope.met()};
}

/// A formula that is wrong is wrong also where TorchScript differentiates these operators alone. What else disappears with
/// them, as fewer are differentiated together, does not go back to them.
bool isCause(Judgements& judgements, const std::string& backend, const backends::KnownDefect& defect) {
  if (!defect.isOfFormula) {
    return true;
  }
  const backends::DefectsAvoided scope = backends::DefectsAvoided::allBut(defect);
  const oracles::CaseVerdict verdict = judgements.anew(backend).verdict;
  return graph::isFinding(verdict.outcome) && shows(verdict, defect);
}

bool isSame(const oracles::CaseVerdict& left, const oracles::CaseVerdict& right) {
  return left.text() == right.text() && left.worst().message == right.worst().message;
}

} // namespace

KnownCause knownCauseOf(Judgements& judgements, const std::string& backend, const oracles::CaseVerdict& verdict,
                        const std::function<oracles::CaseVerdict(oracles::CaseVerdict)>& ownOf) {
  KnownCause cause{"", verdict};
  if (backends::backendInfo(backend).rules != graph::RuleSet::kNativeScript) {
    return cause;
  }
  const Names met = judgeWithout(judgements, backend, {}).second;
  Names avoided;
  for (bool changes = true; changes && graph::isFinding(cause.left.outcome);) {
    changes = false;
    for (const backends::KnownDefect& defect : backends::knownDefects()) {
      if (!met.contains(defect.name) || avoided.contains(defect.name) || !shows(cause.left, defect)) {
        continue;
      }
      Names more = avoided;
      more.insert(defect.name);
      oracles::CaseVerdict left = ownOf(judgeWithout(judgements, backend, more).first);
      changes = (!graph::isFinding(left.outcome) || !isSame(left, cause.left)) && isCause(judgements, backend, defect);
      if (changes) {
        avoided = std::move(more);
        cause.left = std::move(left);
        cause.defects += (cause.defects.empty() ? "" : " and ") + std::string(defect.name);
        break;
      }
    }
  }
  return cause;
}

} // namespace touchstone::harness
