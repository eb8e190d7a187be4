#include "backends/fake/ClaimedDevice.h"

#include <c10/core/impl/DeviceGuardImplInterface.h>

#include <memory>
#include <mutex>
#include <vector>

namespace touchstone::fake {

namespace {

class ClaimedGuard final : public c10::impl::DeviceGuardImplInterface {
 public:
  explicit ClaimedGuard(c10::DeviceType type) : type_(type) {}

  c10::DeviceType type() const override { return type_; }
  c10::Device exchangeDevice(c10::Device) const override { return getDevice(); }
  c10::Device getDevice() const override { return {type_, 0}; }
  void setDevice(c10::Device) const override {}
  void uncheckedSetDevice(c10::Device) const noexcept override {}
  c10::Stream getStream(c10::Device device) const override { return c10::Stream(c10::Stream::DEFAULT, device); }
  c10::Stream exchangeStream(c10::Stream stream) const override {
    return c10::Stream(c10::Stream::DEFAULT, stream.device());
  }
  c10::DeviceIndex deviceCount() const noexcept override { return 0; }

 private:
  c10::DeviceType type_;
};

} // namespace

void claimDevice(c10::Device device) {
  static std::mutex mutex;
  static std::vector<std::unique_ptr<ClaimedGuard>> guards; // libtorch keeps the address
  const std::lock_guard<std::mutex> lock(mutex);
  if (!c10::impl::hasDeviceGuardImpl(device.type())) {
    guards.push_back(std::make_unique<ClaimedGuard>(device.type()));
    c10::impl::registerDeviceGuard(device.type(), guards.back().get());
  }
}

} // namespace touchstone::fake
