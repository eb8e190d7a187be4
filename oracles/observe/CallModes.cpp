#include "oracles/observe/CallModes.h"

#include "program/values/DefaultDevice.h"
#include "program/values/GeneratorState.h"
#include "program/values/RaisedException.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/autocast_mode.h>
#include <c10/core/GradMode.h>

#include <array>
#include <bit>
#include <cstdio>
#include <mutex>

namespace touchstone::observe {
namespace {

uint64_t mixed(uint64_t hash, uint64_t word) {
  hash = (hash ^ word) * 0x9E3779B97F4A7C15ull;
  return hash ^ (hash >> 32);
}

uint64_t hashOfCpuGenerator() {
  at::CPUGeneratorImpl& generator = *at::check_generator<at::CPUGeneratorImpl>(at::detail::getDefaultCPUGenerator());
  std::lock_guard<std::mutex> lock(generator.mutex_);
  const at::mt19937_data_pod state = generator.engine().data();
  uint64_t hash = mixed(state.seed_, (static_cast<uint64_t>(state.left_) << 32) | state.next_);
  for (size_t i = 0; i < state.state_.size(); i += 2) {
    hash = mixed(hash, (static_cast<uint64_t>(state.state_[i]) << 32) | state.state_[i + 1]);
  }
  if (const auto sample = generator.next_float_normal_sample()) {
    hash = mixed(hash, std::bit_cast<uint32_t>(*sample));
  }
  if (const auto sample = generator.next_double_normal_sample()) {
    hash = mixed(hash, std::bit_cast<uint64_t>(*sample));
  }
  return hash;
}

/// Of another device's the bytes of its state: a GPU's is a seed and an offset.
uint64_t hashOfDefaultGenerators() {
  uint64_t hash = hashOfCpuGenerator();
  if (values::defaultDevice().is_cpu()) {
    return hash;
  }
  at::Generator generator = values::defaultGenerators().back();
  const std::lock_guard<std::mutex> lock(generator.mutex());
  const at::Tensor state = generator.get_state();
  const auto* bytes = state.const_data_ptr<uint8_t>();
  for (int64_t i = 0; i < state.numel(); ++i) {
    hash = mixed(hash, bytes[i]);
  }
  return hash;
}

struct AutocastName {
  std::string_view name;
  at::ScalarType dtype;
};
constexpr std::array kAutocastNames = {AutocastName{"bfloat16", at::kBFloat16}, AutocastName{"float16", at::kHalf},
                                       AutocastName{"float32", at::kFloat}, AutocastName{"float64", at::kDouble}};

at::ScalarType autocastDtype(const std::string& text) {
  for (const AutocastName& entry : kAutocastNames) {
    if (text == entry.name || text == "torch." + std::string(entry.name)) {
      return entry.dtype;
    }
  }
  throw values::RaisedException("ValueError", "`" + text + "` is not a dtype for autocast; use bfloat16 or float16.");
}

} // namespace

CallModes::CallModes(const language::CallSpec& call, c10::DeviceType device)
    : device_(device),
      autograd_(c10::AutogradState::get_tls_state()),
      defaultDtype_(c10::get_default_dtype()),
      autocastEnabled_(at::autocast::is_autocast_enabled(device)),
      autocastDtype_(at::autocast::get_autocast_dtype(device)) {
  // May throw: before anything is changed.
  const at::ScalarType dtype = call.autocast ? autocastDtype(*call.autocast) : autocastDtype_;
  if (call.gradMode == language::GradMode::kInference) {
    inference_.emplace(true);
  } else {
    c10::GradMode::set_enabled(call.gradMode == language::GradMode::kEnable);
  }
  at::autocast::increment_nesting();
  if (call.autocast) {
    at::autocast::set_autocast_enabled(device_, true);
    at::autocast::set_autocast_dtype(device_, dtype);
  }
}

CallModes::~CallModes() {
  inference_.reset();
  c10::AutogradState::set_tls_state(autograd_);
  c10::set_default_dtype(defaultDtype_);
  at::autocast::set_autocast_enabled(device_, autocastEnabled_);
  at::autocast::set_autocast_dtype(device_, autocastDtype_);
  if (at::autocast::decrement_nesting() == 0) {
    at::autocast::clear_cache();
  }
}

std::string CallModes::describe() const {
  const c10::AutogradState& autograd = c10::AutogradState::get_tls_state();
  std::array<char, 160> text{};
  const int length = std::snprintf(
      text.data(), text.size(), "generator %016llx, grad %s, inference %s, autocast %s %s, default %s",
      static_cast<unsigned long long>(hashOfDefaultGenerators()), autograd.get_grad_mode() ? "on" : "off",
      autograd.get_inference_mode() ? "on" : "off", at::autocast::is_autocast_enabled(device_) ? "on" : "off",
      c10::toString(at::autocast::get_autocast_dtype(device_)), c10::toString(c10::get_default_dtype_as_scalartype()));
  return std::string(text.data(), static_cast<size_t>(length));
}

} // namespace touchstone::observe
