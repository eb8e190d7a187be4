#include "backends/GuardedMemory.h"

#include "tests/backends/CompiledCalls.h"

#include <c10/core/Allocator.h>
#include <c10/core/CPUAllocator.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>

namespace touchstone::tests {

namespace {

/// The process's CPU allocator with room around each block that somebody else uses.
class NeighbouredAllocator final : public c10::Allocator {
 public:
  c10::DataPtr allocate(size_t bytes) override {
    auto* memory = new unsigned char[bytes + 2 * kRoom];
    std::fill_n(memory, bytes + 2 * kRoom, kTheirs);
    return {memory + kRoom, memory, [](void* context) { delete[] static_cast<unsigned char*>(context); }, at::kCPU};
  }
  void copy_data(void* target, const void* source, size_t count) const override {
    default_copy_data(target, source, count);
  }
  /// Whether the room around a tensor's block is as it was.
  static bool isIntact(const at::Tensor& tensor) {
    const auto* begin = static_cast<const unsigned char*>(tensor.storage().data());
    const auto isTheirs = [](unsigned char byte) { return byte == kTheirs; };
    return std::all_of(begin - kRoom, begin, isTheirs) &&
           std::all_of(begin + tensor.storage().nbytes(), begin + tensor.storage().nbytes() + kRoom, isTheirs);
  }

 private:
  static constexpr size_t kRoom = 64;
  static constexpr unsigned char kTheirs = 0xA5;
};

} // namespace

// These tests run without the workers' allocator.
TEST(GuardedMemoryTest, NothingIsPlantedOutsideMemoryThatNobodyWatches) {
  ASSERT_FALSE(backends::isMemoryGuarded());
  native::registerNativeBackends();
  const language::Case theCase = caseOfProgram({"", "1", "x", "return x + x"});
  const auto compiled = backends::makeBackend("fault:sum_written_behind")->compile(theCase);
  const at::Tensor x = values({16});
  static NeighbouredAllocator neighboured; // outlives its blocks
  c10::Allocator* const before = c10::GetCPUAllocator();
  c10::SetCPUAllocator(&neighboured, 255);
  const std::vector<at::Tensor> sum = CompiledCalls::call(*compiled, {x});
  c10::SetCPUAllocator(before, 255);
  EXPECT_TRUE(at::equal(sum.at(0), x + x));
  EXPECT_TRUE(NeighbouredAllocator::isIntact(sum.at(0)));
}

} // namespace touchstone::tests
