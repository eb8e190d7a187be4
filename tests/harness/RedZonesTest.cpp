#include "harness/worker/RedZones.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

namespace touchstone::tests {

namespace {

std::vector<worker::ZoneDamage> noted;

/// A guarded block of plain memory, which outlives its guard.
class GuardedBlock {
 public:
  explicit GuardedBlock(size_t bytes, worker::ZoneKind kind = worker::ZoneKind::kFirst)
      : memory_(std::aligned_alloc(worker::kRedZoneBytes, (worker::guardedBytes(bytes) + worker::kRedZoneBytes - 1) /
                                                              worker::kRedZoneBytes * worker::kRedZoneBytes)),
        block_(static_cast<unsigned char*>(worker::guardBlock(memory_, bytes, kind))) {
    std::memset(block_, 0, bytes);
  }
  ~GuardedBlock() {
    free();
    std::free(memory_);
  }
  GuardedBlock(const GuardedBlock&) = delete;
  GuardedBlock& operator=(const GuardedBlock&) = delete;

  unsigned char* data() const { return block_; }
  void write(std::ptrdiff_t place, unsigned char value = 0) const { block_[place] = value; }
  /// The memory that the guard gives back; null: none.
  void* free() {
    const std::optional<worker::UnguardedBlock> block = isFree_ ? std::nullopt : worker::unguardBlock(block_);
    isFree_ = true;
    return block.has_value() ? block->memory : nullptr;
  }
  void* memory() const { return memory_; }

 private:
  void* memory_;
  unsigned char* block_;
  bool isFree_ = false;
};

class RedZonesTest : public testing::Test {
 protected:
  void SetUp() override {
    noted.clear();
    worker::setDamageListener([](const worker::ZoneDamage& damage) { noted.push_back(damage); });
  }
  void TearDown() override { worker::setDamageListener(nullptr); }
};

std::vector<std::string> texts() {
  std::vector<std::string> result;
  for (const worker::ZoneDamage& damage : noted) {
    result.push_back(damage.text());
  }
  return result;
}

} // namespace

TEST_F(RedZonesTest, ABlockIsAlignedAndGivesItsMemoryBack) {
  for (size_t bytes = 1; bytes < 200; ++bytes) {
    GuardedBlock block(bytes);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(block.data()) % worker::kRedZoneBytes, 0U);
    std::memset(block.data(), 0xff, bytes); // all of it, and nothing else
    worker::checkAllZones();
    EXPECT_EQ(block.free(), block.memory());
  }
  EXPECT_EQ(texts(), std::vector<std::string>{});
}

TEST_F(RedZonesTest, EachByteOfEitherZoneIsWatchedWhateverIsWrittenThere) {
  GuardedBlock block(20);
  for (std::ptrdiff_t distance = 0; distance < static_cast<std::ptrdiff_t>(worker::kRedZoneBytes); ++distance) {
    for (const bool behind : {true, false}) {
      const std::ptrdiff_t place = behind ? 20 + distance : -1 - distance;
      block.write(place, static_cast<unsigned char>(~block.data()[place]));
      worker::checkAllZones();
      ASSERT_EQ(noted.size(), 1U) << place;
      EXPECT_EQ(noted[0].behind, behind);
      EXPECT_EQ(noted[0].nearest, static_cast<size_t>(distance));
      EXPECT_EQ(noted[0].blockBytes, 20U);
      noted.clear();
      worker::checkAllZones();
      EXPECT_TRUE(noted.empty()) << "told once";
    }
  }
}

TEST_F(RedZonesTest, AnElementOfAnyValueIsSeen) {
  for (const float value : {0.0F, 1.0F, -1.0F, 0.5F, 3e38F}) {
    GuardedBlock block(8);
    std::memcpy(block.data() + 8, &value, sizeof(value));
    block.free();
    ASSERT_EQ(noted.size(), 1U) << value;
    EXPECT_EQ(noted[0].text(), "bytes 0 to 3 behind the end of a block of 8 bytes were overwritten");
    noted.clear();
  }
}

TEST_F(RedZonesTest, TheTextSaysWhichBytes) {
  GuardedBlock block(6);
  block.write(6 + 5);
  block.write(-2);
  block.write(-3);
  block.free();
  EXPECT_EQ(texts(), (std::vector<std::string>{"bytes 1 to 2 before the start of a block of 6 bytes were overwritten",
                                               "byte 5 behind the end of a block of 6 bytes was overwritten"}));
}

TEST_F(RedZonesTest, TheTwoKindsHaveNoByteInCommon) {
  const GuardedBlock first(8);
  const GuardedBlock second(8, worker::ZoneKind::kSecond);
  for (size_t place = 8; place < 8 + worker::kRedZoneBytes; ++place) {
    EXPECT_NE(first.data()[place], second.data()[place]) << place;
  }
  worker::checkAllZones();
  EXPECT_TRUE(noted.empty());
  second.write(8, first.data()[8]);
  worker::checkAllZones();
  EXPECT_EQ(noted.size(), 1u) << "a byte that is right of the other kind";
}

TEST_F(RedZonesTest, OnlyNewBlocksAreLookedAtWhereThatIsAsked) {
  GuardedBlock old(4);
  worker::beginNewBlocks();
  GuardedBlock made(4);
  old.write(4);
  worker::checkNewZones();
  EXPECT_TRUE(noted.empty());
  made.write(4);
  worker::checkNewZones();
  EXPECT_EQ(noted.size(), 1U);
  worker::checkAllZones();
  EXPECT_EQ(noted.size(), 2U);
}

TEST_F(RedZonesTest, BlocksAreFreedInAnyOrder) {
  std::vector<std::unique_ptr<GuardedBlock>> blocks;
  for (int i = 0; i < 7; ++i) {
    blocks.push_back(std::make_unique<GuardedBlock>(4));
  }
  for (const int index : {3, 6, 0, 2, 5}) {
    blocks[static_cast<size_t>(index)]->free();
    worker::checkAllZones();
  }
  blocks[1]->write(4);
  blocks[4]->write(-1);
  worker::checkAllZones();
  EXPECT_EQ(noted.size(), 2U) << "those that live are still looked at";
}

TEST_F(RedZonesTest, AWriteFarBeforeABlockIsToldOnceAndItsMemoryStays) {
  GuardedBlock older(4);
  auto damaged = std::make_unique<GuardedBlock>(4);
  GuardedBlock newer(4);
  std::memset(damaged->data() - 2 * worker::kRedZoneBytes, 0xee, worker::kRedZoneBytes);
  worker::checkAllZones();
  EXPECT_EQ(texts(), std::vector<std::string>{"the memory more than 64 bytes before a block was overwritten"});
  EXPECT_EQ(damaged->free(), nullptr);
  worker::checkAllZones();
  EXPECT_EQ(older.free(), older.memory());
  newer.write(4);
  EXPECT_EQ(newer.free(), newer.memory());
  EXPECT_EQ(noted.size(), 2U);
}

} // namespace touchstone::tests
