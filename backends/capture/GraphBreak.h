#pragma once

#include <stdexcept>
#include <string>

namespace touchstone::capture {

/// What of the call a break hangs on: with other arguments the Graph may go on.
enum class BrokenBy { kNothing, kInputsOfStep, kDifferentiableInputs };

/// Thrown while a Program is evaluated symbolically, at what the Graph cannot hold: the Graph ends before it.
class GraphBreak : public std::runtime_error {
 public:
  explicit GraphBreak(const std::string& text, BrokenBy by = BrokenBy::kNothing) : std::runtime_error(text), by_(by) {}
  BrokenBy by() const { return by_; }

 private:
  BrokenBy by_;
};

} // namespace touchstone::capture
