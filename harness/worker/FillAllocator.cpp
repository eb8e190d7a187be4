#include "harness/worker/FillAllocator.h"

#include "backends/GuardedMemory.h"
#include "harness/worker/Progress.h"
#include "harness/worker/RedZones.h"

#include <c10/core/CPUAllocator.h>
#include <c10/core/impl/alloc_cpu.h>
#include <c10/util/Exception.h>

#include <fmt/format.h>

#include <atomic>
#include <cstring>
#include <limits>
#include <utility>

namespace touchstone::worker {

namespace {

auto activePattern = FillPattern::kFirst;
std::atomic<int64_t> heldBytes{0};
int64_t heldAtStart = 0;
int64_t maximumBytes = std::numeric_limits<int64_t>::max();

std::optional<OutOfBoundsWrite> noticed;
bool everNoticed = false;

void noteDamage(const ZoneDamage& damage) {
  everNoticed = true;
  if (noticed.has_value()) {
    return;
  }
  const Progress& progress = currentProgress();
  noticed = {progress.phase, progress.call, progress.step,
             fmt::format("Memory was written outside a tensor: {} (noticed in {}).", damage.text(), progress.place())};
}

void freeCounted(void* block) {
  if (block == nullptr) {
    return; // oneDNN gives back what it did not ask for
  }
  if (const std::optional<UnguardedBlock> memory = unguardBlock(block)) {
    heldBytes -= static_cast<int64_t>(memory->bytes);
    c10::free_cpu(memory->memory);
  }
}

struct FillAllocator final : c10::Allocator {
  c10::DataPtr allocate(size_t size) override {
    if (size == 0) {
      return {nullptr, nullptr, &freeCounted, c10::Device(c10::kCPU)};
    }
    void* block = nullptr;
    try {
      TORCH_CHECK(size <= static_cast<size_t>(maximumBytes) &&
                      heldBytes - heldAtStart <= maximumBytes - static_cast<int64_t>(size),
                  "A tensor of ", size, " bytes is more than this Case's tensors may have: together they hold ",
                  heldBytes - heldAtStart, " of ", maximumBytes, " bytes. `--memory-mib` allows more.");
      block = guardBlock(c10::alloc_cpu(guardedBytes(size)), size,
                         activePattern == FillPattern::kFirst ? ZoneKind::kFirst : ZoneKind::kSecond);
    } catch (...) {
      currentProgress().noteShortMemory();
      throw;
    }
    heldBytes += static_cast<int64_t>(guardedBytes(size));
    std::memset(block, static_cast<int>(activePattern), size);
    return {block, block, &freeCounted, c10::Device(c10::kCPU)};
  }
  c10::DeleterFnPtr raw_deleter() const override { return &freeCounted; }
  void copy_data(void* to, const void* from, size_t count) const override { default_copy_data(to, from, count); }
};

} // namespace

void installFillAllocator() {
  static FillAllocator allocator;
  setDamageListener(&noteDamage);
  c10::SetCPUAllocator(&allocator, /*priority=*/255);
  backends::noteGuardedMemory();
}

void limitTensorMemory(int64_t bytes) {
  heldAtStart = heldBytes;
  maximumBytes = bytes / 4 * 3;
}

void setFillPattern(FillPattern pattern) {
  activePattern = pattern;
}

std::optional<OutOfBoundsWrite> takeOutOfBoundsWrite() {
  return std::exchange(noticed, std::nullopt);
}

void putBackOutOfBoundsWrite(OutOfBoundsWrite write) {
  noticed = std::move(write);
}

bool wroteOutOfBounds() {
  return everNoticed;
}

} // namespace touchstone::worker
