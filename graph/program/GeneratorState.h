#pragma once

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace touchstone::graph {

/// The generators that a Program draws from where it names none: the CPU's, and that of the default device besides.
std::vector<at::Generator> defaultGenerators();

/// Their states, to be put back later.
class GeneratorState {
 public:
  static GeneratorState now();
  void putBack() const;

 private:
  std::vector<at::Tensor> states_; // in the order of defaultGenerators()
};

/// Puts them back at the end of a scope.
class GeneratorStateScope {
 public:
  GeneratorStateScope() : state_(GeneratorState::now()) {}
  ~GeneratorStateScope() { state_.putBack(); }
  GeneratorStateScope(const GeneratorStateScope&) = delete;
  GeneratorStateScope& operator=(const GeneratorStateScope&) = delete;

 private:
  GeneratorState state_;
};

} // namespace touchstone::graph
