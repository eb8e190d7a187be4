#include "program/values/GeneratorState.h"

#include "program/values/DefaultDevice.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Context.h>

#include <mutex>
#include <optional>

namespace touchstone::values {

namespace {

/// That of the default device where it has one of its own.
std::optional<at::Generator> generatorOfDevice() {
  const c10::Device device = defaultDevice();
  if (device.is_cpu() || device.is_meta()) {
    return std::nullopt;
  }
  at::globalContext().lazyInitDevice(device.type());
  return at::globalContext().defaultGenerator(device);
}

at::CPUGeneratorImpl& generatorOfCpu() {
  return *at::check_generator<at::CPUGeneratorImpl>(at::detail::getDefaultCPUGenerator());
}

} // namespace

std::vector<at::Generator> defaultGenerators() {
  std::vector<at::Generator> generators{at::detail::getDefaultCPUGenerator()};
  if (const std::optional<at::Generator> ofDevice = generatorOfDevice()) {
    generators.push_back(*ofDevice);
  }
  return generators;
}

void seedDefaultGenerators(int64_t seed) {
  for (at::Generator& generator : defaultGenerators()) {
    const std::lock_guard<std::mutex> lock(generator.mutex());
    generator.set_current_seed(static_cast<uint64_t>(seed));
  }
}

/// Of the CPU's what it consists of: a tensor of its state is filled and read element by element.
struct GeneratorState::Kept {
  at::mt19937 engine;
  std::optional<float> floatSample;
  std::optional<double> doubleSample;
  at::Tensor ofDevice;
};

GeneratorState GeneratorState::now() {
  at::Tensor ofDevice;
  if (std::optional<at::Generator> generator = generatorOfDevice()) {
    const std::lock_guard<std::mutex> lock(generator->mutex());
    ofDevice = generator->get_state();
  }
  at::CPUGeneratorImpl& generator = generatorOfCpu();
  const std::lock_guard<std::mutex> lock(generator.mutex_);
  GeneratorState state;
  state.kept_ = std::make_shared<const Kept>(Kept{generator.engine(), generator.next_float_normal_sample(),
                                                  generator.next_double_normal_sample(), std::move(ofDevice)});
  return state;
}

void GeneratorState::putBack() const {
  {
    at::CPUGeneratorImpl& generator = generatorOfCpu();
    const std::lock_guard<std::mutex> lock(generator.mutex_);
    generator.set_engine(kept_->engine);
    generator.set_next_float_normal_sample(kept_->floatSample);
    generator.set_next_double_normal_sample(kept_->doubleSample);
  }
  if (std::optional<at::Generator> generator = generatorOfDevice(); generator && kept_->ofDevice.defined()) {
    const std::lock_guard<std::mutex> lock(generator->mutex());
    generator->set_state(kept_->ofDevice);
  }
}

} // namespace touchstone::values
