#pragma once

#include <ATen/core/Generator.h>

#include <cstdint>
#include <memory>
#include <vector>

namespace touchstone::values {

/// The generators that a Program draws from where it names none: the CPU's, and that of the default device besides.
std::vector<at::Generator> defaultGenerators();

/// What `torch.manual_seed` does to these.
void seedDefaultGenerators(int64_t seed);

/// Their states, to be put back later; cheap to copy. A default one holds none.
class GeneratorState {
 public:
  static GeneratorState now();
  void putBack() const;

 private:
  struct Kept;
  std::shared_ptr<const Kept> kept_;
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

} // namespace touchstone::values
