#pragma once

#include "program/language/Case.h"

#include <string>

namespace touchstone::worker {

/// Why no tensor can be made on the device, tried in a process of its own: a process that has used a GPU cannot fork others
/// that do. Empty: tensors can be made there, as on the CPU always.
std::string troubleWithDevice(const std::string& device);

/// Ends the process, after it wrote why, when the Case's device can do nothing more for it: what fails in a GPU's kernel (an
/// index out of range) fails every later call of the process. Waits for what the device still has to do.
void endIfDeviceFailed(const language::Case& theCase);

} // namespace touchstone::worker
