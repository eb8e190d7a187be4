#pragma once

#include <string>

namespace touchstone::harness {

/// The processor's model, `unknown` where the system does not say: a finding may belong to one kind of vector instructions.
std::string processorName();

} // namespace touchstone::harness
