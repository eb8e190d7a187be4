#pragma once

#include <stdexcept>
#include <string>

namespace touchstone::backends {

/// Thrown while a Program is evaluated symbolically, at what the Graph cannot hold: the Graph ends before it.
class GraphBreak : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A break that hangs on what the arguments are like: with others the Graph may go on.
class InputBreak final : public GraphBreak {
 public:
  using GraphBreak::GraphBreak;
};

} // namespace touchstone::backends
