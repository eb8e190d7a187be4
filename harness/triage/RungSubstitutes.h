#pragma once

#include "harness/triage/RungReplay.h"

#include <string>

namespace touchstone::triage {

/// `aot_joint` of `fault:NAME@aot_joint`, `torch:eager` of `torch:fault:NAME@eager`, the family's `aot_eager` of `fault:NAME`; any
/// other name is its own.
std::string pipelineOf(const std::string& backend);

/// The stages that a native rung adds, those around its Graphs among them: the Case is judged under it again with each in turn
/// replaced, in a child, and the stage without which the kind of symptom is gone differs. None: the backend is no rung of the
/// native family's ladder, with a planted fault or without.
std::optional<RungReplay> substitutedStagesOf(const std::string& caseText, const std::string& backend,
                                              const std::string& kind, const pool::RunJob& run);

} // namespace touchstone::triage
