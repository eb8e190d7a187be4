#pragma once

#include "program/values/Callable.h"
#include "program/values/RaisedException.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace touchstone::compare {

/// Raises in the last of so many calls, before it does anything.
class RaisingAtOnce : public values::Callable {
 public:
  RaisingAtOnce(std::unique_ptr<values::Callable> program, int call) : program_(std::move(program)), left_(call) {}
  values::Value operator()(values::ValueList& arguments) override {
    if (left_-- <= 0) {
      throw values::RaisedException("RuntimeError", "The program is not to run.");
    }
    return (*program_)(arguments);
  }
  std::optional<values::Value> callFunction(const std::string& name, values::ValueList& arguments) override {
    return program_->callFunction(name, arguments);
  }

 private:
  std::unique_ptr<values::Callable> program_;
  int left_;
};

} // namespace touchstone::compare
