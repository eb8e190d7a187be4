#include "harness/worker/FillAllocator.h"

#include "harness/worker/Progress.h"

#include <c10/core/CPUAllocator.h>
#include <c10/core/impl/alloc_cpu.h>
#include <c10/util/Exception.h>

#include <malloc.h>

#include <atomic>
#include <cstring>
#include <limits>

namespace touchstone::harness {

namespace {

auto activePattern = FillPattern::kFirst;
std::atomic<int64_t> heldBytes{0};
int64_t heldAtStart = 0;
int64_t maximumBytes = std::numeric_limits<int64_t>::max();

void freeCounted(void* block) {
  heldBytes -= static_cast<int64_t>(malloc_usable_size(block));
  c10::free_cpu(block);
}

struct FillAllocator final : c10::Allocator {
  c10::DataPtr allocate(size_t size) override {
    void* block = nullptr;
    try {
      TORCH_CHECK(size <= static_cast<size_t>(maximumBytes) &&
                      heldBytes - heldAtStart <= maximumBytes - static_cast<int64_t>(size),
                  "A tensor of ", size, " bytes is more than this Case's tensors may have: together they hold ",
                  heldBytes - heldAtStart, " of ", maximumBytes, " bytes. `--memory-mib` allows more.");
      block = c10::alloc_cpu(size);
    } catch (...) {
      currentProgress().noteShortMemory();
      throw;
    }
    if (block != nullptr) {
      heldBytes += static_cast<int64_t>(malloc_usable_size(block));
      std::memset(block, static_cast<int>(activePattern), size);
    }
    return {block, block, &freeCounted, c10::Device(c10::kCPU)};
  }
  c10::DeleterFnPtr raw_deleter() const override { return &freeCounted; }
  void copy_data(void* to, const void* from, size_t count) const override { default_copy_data(to, from, count); }
};

} // namespace

void installFillAllocator() {
  static FillAllocator allocator;
  c10::SetCPUAllocator(&allocator, /*priority=*/255);
}

void limitTensorMemory(int64_t bytes) {
  heldAtStart = heldBytes;
  maximumBytes = bytes / 4 * 3;
}

void setFillPattern(FillPattern pattern) {
  activePattern = pattern;
}

} // namespace touchstone::harness
