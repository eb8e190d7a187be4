#pragma once

#include "graph/ir/StageArtifacts.h"

#include <stdexcept>
#include <string>

namespace touchstone::substitutes {

/// A part for which there is no substitute; what() says why.
class NoSubstitute : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Parts of the joint Graph without writes, the last one before it is cut, by the names of what the cut parts take and return.
// Nothing of how they were cut is used but which values are saved. Throw NoSubstitute.

/// What `forward` has to return, then the saved values; nothing that the forward recorded is left out.
ir::Graph forwardOfJoint(const ir::StageArtifacts& artifacts);

/// The gradients from this one of the joint Graph on, from what the backward of this stage takes.
ir::Graph backwardOfJoint(const ir::StageArtifacts& artifacts, const std::string& stage, size_t firstGradient);

} // namespace touchstone::substitutes
