#pragma once

#include <stdexcept>
#include <string>

namespace touchstone::ir {

/// Graphviz's `dot` is not on this machine; `what()` says what to install. Exit status 3.
class GraphvizUnavailable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Lays a drawing in Graphviz's language out with `dot`, which is looked for in PATH, and returns the picture. Throws
/// GraphvizUnavailable; std::runtime_error when `dot` fails or no temporary file can be written.
std::string svgOf(const std::string& drawing);

} // namespace touchstone::ir
