#pragma once

#include <stdexcept>
#include <string>

namespace touchstone::capture {

/// Thrown while a Program is evaluated symbolically, at what the Graph cannot hold: the Graph ends before it.
class GraphBreak : public std::runtime_error {
 public:
  explicit GraphBreak(const std::string& text, bool byInputs = false) : std::runtime_error(text), byInputs_(byInputs) {}
  /// It hangs on what the arguments are like: with others the Graph may go on.
  bool byInputs() const { return byInputs_; }

 private:
  bool byInputs_;
};

} // namespace touchstone::capture
