#include "harness/diff/ChangeJudge.h"

#include "harness/findings/FindingPipeline.h"
#include "program/standalone/CaseFile.h"

#include <utility>

namespace touchstone::diff {

bool isAlike(const worker::BackendResult& result, const worker::BackendResult& wanted) {
  return showsFinding(result) == showsFinding(wanted) && (showsFinding(wanted) || result.outcome == wanted.outcome) &&
         worker::symptomText(result.symptom) == worker::symptomText(wanted.symptom);
}

ChangeJudge::ChangeJudge(DiffSide& leftSide, const worker::BackendResult& left, DiffSide& rightSide,
                         const worker::BackendResult& right)
    : first_{&leftSide, left}, second_{&rightSide, right} {
  if (showsFinding(right)) {
    std::swap(first_, second_);
  }
}

// Each in the order in which they are given, in one child for all: it stops at the first that shows the wanted finding.
std::optional<size_t> ChangeJudge::firstAlike(const Asked& asked, const std::vector<std::string>& texts, size_t begin,
                                              worker::BackendResult& found) {
  worker::Batch batch{asked.side->limits, {}};
  for (size_t i = begin; i < texts.size(); ++i) {
    worker::Job& job = batch.jobs.emplace_back(asked.side->job(texts[i], /*observe=*/false));
    worker::JudgeTask& task = job.task.emplace<worker::JudgeTask>();
    task.onlyIfEagerReturns = !asked.wanted.eagerRaises && language::isFinding(asked.wanted.outcome);
    if (language::isFinding(asked.wanted.outcome)) {
      task.wanted = worker::symptomOf(asked.wanted);
    }
  }
  const std::vector<worker::JobResult> results = asked.side->pool->run({{asked.side->family, std::move(batch)}});
  for (size_t i = 0; i < results.size(); ++i) {
    if (const worker::BackendResult* result = results[i].first(); result != nullptr && isAlike(*result, asked.wanted)) {
      found = *result;
      return begin + i;
    }
  }
  return std::nullopt;
}

std::optional<reducer::Sighting> ChangeJudge::operator()(const std::vector<language::Case>& candidates) const {
  std::vector<std::string> texts;
  for (const language::Case& candidate : candidates) {
    texts.push_back(standalone::printCase(candidate));
  }
  worker::BackendResult found, other;
  for (size_t begin = 0; begin < texts.size();) {
    const std::optional<size_t> shown = firstAlike(first_, texts, begin, found);
    if (!shown.has_value()) {
      return std::nullopt;
    }
    if (firstAlike(second_, {texts[*shown]}, 0, other).has_value()) {
      return reducer::Sighting{*shown, findings::placeOf(found)};
    }
    begin = *shown + 1;
  }
  return std::nullopt;
}

} // namespace touchstone::diff
