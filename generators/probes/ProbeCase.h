#pragma once

#include "generators/decoder/InputSpecification.h"
#include "program/language/Case.h"

#include <optional>
#include <string>

namespace touchstone::probes {

/// One operator of the catalogue on its own.
struct ProbeSpecification {
  std::string operatorName;
  at::ScalarType dtype = at::kFloat; // of its first operand; others have what fits
  bool backward = false; // operands require grad, and each call has a backward
};

/// The smallest Case with every spelling of the operator that eager takes, but for those that make tensors of dtypes that
/// its first spelling does not make, each on a clone of the first argument, called
/// twice with other values. Nothing where the operator has no operand of that dtype, where eager takes no spelling, or
/// where, with a backward, nothing it returns can be differentiated. An operator without operands is one of float32.
std::optional<language::Case> probeCase(const ProbeSpecification& probe);

} // namespace touchstone::probes
