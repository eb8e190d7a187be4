#include "harness/score/FaultScore.h"

#include <array>

namespace touchstone::score {

const char* attributionName(Attribution attribution) {
  constexpr std::array<const char*, kAttributionCount> kNames{"right", "ambiguous", "elsewhere", "none"};
  return kNames.at(static_cast<size_t>(attribution));
}

bool Budget::isSpent(const FaultScore& score, bool isControl) const {
  if (isControl) {
    return score.cases >= controlCases;
  }
  return score.kill.has_value() || score.seconds >= seconds || (cases.has_value() && score.cases >= *cases);
}

} // namespace touchstone::score
