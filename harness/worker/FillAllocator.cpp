#include "harness/worker/FillAllocator.h"

#include "harness/worker/Progress.h"

#include <c10/core/CPUAllocator.h>
#include <c10/core/impl/alloc_cpu.h>

#include <cstring>

namespace touchstone::harness {

namespace {

auto activePattern = FillPattern::kFirst;

struct FillAllocator final : c10::Allocator {
  c10::DataPtr allocate(size_t size) override {
    void* block = nullptr;
    try {
      block = c10::alloc_cpu(size);
    } catch (...) {
      currentProgress().allocationFailed = true;
      throw;
    }
    if (block != nullptr) {
      std::memset(block, static_cast<int>(activePattern), size);
    }
    return {block, block, &c10::free_cpu, c10::Device(c10::kCPU)};
  }
  c10::DeleterFnPtr raw_deleter() const override { return &c10::free_cpu; }
  void copy_data(void* to, const void* from, size_t count) const override { default_copy_data(to, from, count); }
};

} // namespace

void installFillAllocator() {
  static FillAllocator allocator;
  c10::SetCPUAllocator(&allocator, /*priority=*/255);
}

void setFillPattern(FillPattern pattern) {
  activePattern = pattern;
}

} // namespace touchstone::harness
