#pragma once

#include "generators/probes/ProbeCase.h"
#include "program/language/Case.h"

#include <vector>

namespace touchstone::probes {

/// What a probe is to a group.
enum class ProbePlace {
  kInside,
  kApart, // eager raises in one of its calls, or returns more tensors in the one than in the other: it needs a Case of its own
  kNotApplicable, // eager has no Case
};

/// Several probes in one Case.
struct ProbeGroup {
  language::Case theCase; // without functions when no probe is inside
  std::vector<ProbePlace> places; // of each probe
};

/// The Program does what the probes' own Programs do, one after the other, each with arguments of its own that have the
/// values which they have in its own Case, and returns what all of them return. Variables get the probe's position behind
/// their names. All of the probes are with a backward, or none is: roots are those of the probes' own Cases.
ProbeGroup probeGroup(const std::vector<ProbeSpecification>& probes);

} // namespace touchstone::probes
