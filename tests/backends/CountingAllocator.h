#pragma once

#include <c10/core/Allocator.h>
#include <c10/core/CPUAllocator.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace touchstone::tests {

/// The process's CPU allocator, counting while a Scope lives. Itself it has to outlive its blocks.
class CountingAllocator final : public c10::Allocator {
 public:
  CountingAllocator() : backing_(c10::GetCPUAllocator()) {}

  class Scope {
   public:
    explicit Scope(CountingAllocator& counting) : counting_(counting) { c10::SetCPUAllocator(&counting, 255); }
    ~Scope() { c10::SetCPUAllocator(counting_.backing_, 255); }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    CountingAllocator& counting_;
  };

  c10::DataPtr allocate(size_t bytes) override {
    struct Block {
      c10::DataPtr memory;
      CountingAllocator* owner;
      int64_t bytes;
    };
    auto* block = new Block{backing_->allocate(bytes), this, static_cast<int64_t>(bytes)};
    live += block->bytes;
    peak = std::max(peak, live);
    return {block->memory.get(), block,
            [](void* context) {
              auto* freed = static_cast<Block*>(context);
              freed->owner->live -= freed->bytes;
              delete freed;
            },
            at::kCPU};
  }
  void copy_data(void* target, const void* source, size_t count) const override {
    default_copy_data(target, source, count);
  }
  int64_t live = 0, peak = 0;

 private:
  c10::Allocator* backing_;
};

} // namespace touchstone::tests
