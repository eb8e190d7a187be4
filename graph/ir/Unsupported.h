#pragma once

#include <stdexcept>

namespace touchstone::graph {

/// Thrown by a backend's compile() or by a call when the backend states that it cannot take the Case: outcome
/// Unsupported(reason).
class Unsupported : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

} // namespace touchstone::graph
