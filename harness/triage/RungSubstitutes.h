#pragma once

#include "harness/triage/RungReplay.h"

#include <string>

namespace touchstone::triage {

/// The stages that a native rung, or `torch:eager`, adds, those around its Graphs among them: the Case is judged under it again
/// with each in turn replaced, in a child, and the stage without which the kind of symptom is gone differs. None: the backend is
/// neither of these, with a planted fault or without.
std::optional<RungReplay> substitutedStagesOf(const std::string& caseText, const std::string& backend,
                                              const std::string& kind, const pool::RunJob& run);

} // namespace touchstone::triage
