#pragma once

#include "backends/fake/DispatchMode.h"

#include <stdexcept>
#include <string>
#include <vector>

namespace touchstone::debugging {

/// An operator did what its schema does not say.
class SchemaMismatch : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Holds each operator against its schema: no argument may be written to that is not declared mutable, no result may lie
/// in an argument's memory, or in another result's, that is not declared to alias it, and below autograd no operator may
/// hand an argument back that it does not write to. Behaves as torch/_subclasses/schema_check_mode.py; the bytes of
/// storages that the processor cannot read are not compared. Throws SchemaMismatch after the call.
class SchemaCheck final : public fake::DispatchMode {
 public:
  void call(const c10::OperatorHandle& op, torch::jit::Stack* stack) override;

  /// Names of the operators that were called, in order.
  const std::vector<std::string>& operators() const { return operators_; }

 private:
  std::vector<std::string> operators_;
};

} // namespace touchstone::debugging
