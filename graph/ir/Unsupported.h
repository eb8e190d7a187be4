#pragma once

#include <stdexcept>

namespace touchstone::ir {

/// Thrown by a backend's compile() or by a call when the backend states that it cannot take the Case: outcome
/// Unsupported(reason).
class Unsupported : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The same of these inputs: with others it may be taken.
class UnsupportedInputs : public Unsupported {
 public:
  using Unsupported::Unsupported;
};

} // namespace touchstone::ir
