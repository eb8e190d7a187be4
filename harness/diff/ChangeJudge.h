#pragma once

#include "harness/diff/DiffSide.h"
#include "harness/diff/OutcomeChange.h"
#include "harness/reducer/Reducer.h"

#include <optional>
#include <string>
#include <vector>

namespace touchstone::diff {

/// The same outcome as another result of one backend but for places: what a reducer keeps on each side.
bool isAlike(const worker::BackendResult& result, const worker::BackendResult& wanted);

/// A CandidateJudge for reducing a change: does each side still make of the Case what it made of the first? The side that
/// shows a finding is asked first, and the other one about those alone that show it.
class ChangeJudge {
 public:
  /// `left`, `right`: what the sides made of the Case that is reduced.
  ChangeJudge(DiffSide& leftSide, const worker::BackendResult& left, DiffSide& rightSide,
              const worker::BackendResult& right);
  std::optional<reducer::Sighting> operator()(const std::vector<language::Case>& candidates) const;

 private:
  struct Asked {
    DiffSide* side;
    worker::BackendResult wanted;
  };
  /// The first of `texts` from `begin` on of which the side makes what is wanted; none: there is no such.
  static std::optional<size_t> firstAlike(const Asked& asked, const std::vector<std::string>& texts, size_t begin,
                                          worker::BackendResult& found);

  Asked first_, second_;
};

} // namespace touchstone::diff
