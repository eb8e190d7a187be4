#pragma once

#include "backends/faults/FaultTable.h"
#include "harness/pool/WorkerPool.h"
#include "harness/score/FaultScore.h"
#include "harness/triage/Ladder.h"

#include <cstdint>
#include <string>
#include <vector>

namespace touchstone::score {

/// The pipeline that a fault is planted in, without it: `aot_eager`, `torch:aot_eager`.
const std::string& cleanBackend(ir::Family family);

/// A Case that a backend with a fault fails, judged once more by itself.
struct SecondLook {
  bool recurs = false;
  bool isOfTheFault = false; // the pipeline without the fault does not show this in the Case
  Kill kill; // without its index; of a control without rung and stages
};
SecondLook lookAgain(const faults::FaultRow& row, const std::string& caseText, const pool::RunJob& run);

/// The stages that a ladder blames, by its lowest rung that shows the symptom and, where it has them, by the graphs below that.
/// By the names of FaultRow::stage. Empty: it blames none.
std::vector<std::string> blamedStages(const triage::Ladder& ladder);
Attribution attributionOf(const std::vector<std::string>& blamed, std::string_view stage);

} // namespace touchstone::score
