#include "graph/program/GeneratorState.h"

#include "graph/program/DefaultDevice.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Context.h>

#include <algorithm>
#include <mutex>

namespace touchstone::graph {

std::vector<at::Generator> defaultGenerators() {
  std::vector<at::Generator> generators{at::detail::getDefaultCPUGenerator()};
  const c10::Device device = defaultDevice();
  if (!device.is_cpu() && !device.is_meta()) {
    at::globalContext().lazyInitDevice(device.type());
    generators.push_back(at::globalContext().defaultGenerator(device));
  }
  return generators;
}

GeneratorState GeneratorState::now() {
  GeneratorState state;
  for (at::Generator& generator : defaultGenerators()) {
    std::lock_guard<std::mutex> lock(generator.mutex());
    state.states_.push_back(generator.get_state());
  }
  return state;
}

void GeneratorState::putBack() const {
  std::vector<at::Generator> generators = defaultGenerators();
  for (size_t i = 0; i < std::min(generators.size(), states_.size()); ++i) {
    std::lock_guard<std::mutex> lock(generators[i].mutex());
    generators[i].set_state(states_[i]);
  }
}

} // namespace touchstone::graph
