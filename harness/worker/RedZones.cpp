#include "harness/worker/RedZones.h"

#include <fmt/format.h>

#include <pthread.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>

namespace touchstone::worker {

namespace {

/// Stands before the zone before a block; all live blocks are a list, the newest first.
struct alignas(kRedZoneBytes) BlockNotes {
  BlockNotes* newer;
  BlockNotes* older;
  size_t bytes;
  uint64_t serial;
  ZoneKind kind;
  uintptr_t seal; // of address and size: a write far before the block breaks it
};

constexpr uintptr_t kSeal = 0x5afe'b10c'5afe'b10c;
constexpr uintptr_t kTold = 0; // of a broken seal: noted already
constexpr size_t kBeforeBlock = sizeof(BlockNotes) + kRedZoneBytes;

// Bytes that differ from one another: nothing that is written over them in earnest looks the same.
using Zone = std::array<unsigned char, kRedZoneBytes>;
constexpr Zone makeZone(unsigned char flipped) {
  Zone zone{};
  for (size_t i = 0; i < zone.size(); ++i) {
    zone[i] = static_cast<unsigned char>(0xA7 + 59 * i) ^ flipped;
  }
  return zone;
}
constexpr std::array<Zone, 2> kIntact{makeZone(0), makeZone(0xFF)}; // by kind

BlockNotes* newest = nullptr;
uint64_t lastSerial = 0;
uint64_t lastOldSerial = 0;
DamageListener listens = nullptr;
std::atomic_flag listInUse = ATOMIC_FLAG_INIT;

void lockList() {
  while (listInUse.test_and_set(std::memory_order_acquire)) {
  }
}
void unlockList() {
  listInUse.clear(std::memory_order_release);
}
struct ListLock {
  ListLock() { lockList(); }
  ~ListLock() { unlockList(); }
  ListLock(const ListLock&) = delete;
  ListLock& operator=(const ListLock&) = delete;
};

// A child must not be born with the list held by a thread that it does not have.
const int atFork = pthread_atfork(lockList, unlockList, unlockList);

uintptr_t sealOf(const BlockNotes* notes) {
  return reinterpret_cast<uintptr_t>(notes) ^ notes->bytes ^ static_cast<uintptr_t>(notes->kind) ^ kSeal;
}

unsigned char* zoneBefore(BlockNotes* notes) {
  return reinterpret_cast<unsigned char*>(notes + 1);
}
unsigned char* zoneBehind(BlockNotes* notes) {
  return zoneBefore(notes) + kRedZoneBytes + notes->bytes;
}

const Zone& intactZone(const BlockNotes* notes) {
  return kIntact[notes->kind == ZoneKind::kSecond ? 1 : 0];
}
bool isIntact(const BlockNotes* notes, const unsigned char* zone) {
  return std::memcmp(zone, intactZone(notes).data(), kRedZoneBytes) == 0;
}

void tell(const ZoneDamage& damage) {
  if (listens != nullptr) {
    listens(damage);
  }
}

void mend(BlockNotes* notes, bool behind) {
  unsigned char* zone = behind ? zoneBehind(notes) : zoneBefore(notes);
  const Zone& intact = intactZone(notes);
  ZoneDamage damage{.blockBytes = notes->bytes, .behind = behind, .nearest = kRedZoneBytes};
  for (size_t distance = 0; distance < kRedZoneBytes; ++distance) {
    const size_t place = behind ? distance : kRedZoneBytes - 1 - distance;
    if (zone[place] != intact[place]) {
      damage.nearest = std::min(damage.nearest, distance);
      damage.farthest = distance;
    }
  }
  std::memcpy(zone, intact.data(), kRedZoneBytes);
  tell(damage);
}

/// False: nothing that is noted of the block, and of those older, can be trusted.
bool check(BlockNotes* notes) {
  if (notes->seal != sealOf(notes)) {
    if (notes->seal != kTold) {
      notes->seal = kTold;
      tell({.behind = false, .pastTheZone = true});
    }
    return false;
  }
  if (!isIntact(notes, zoneBefore(notes))) {
    mend(notes, /*behind=*/false);
  }
  if (!isIntact(notes, zoneBehind(notes))) {
    mend(notes, /*behind=*/true);
  }
  return true;
}

void checkNewerThan(uint64_t serial) {
  const ListLock lock;
  for (BlockNotes** link = &newest; *link != nullptr && (*link)->serial > serial; link = &(*link)->older) {
    if (!check(*link)) {
      *link = nullptr; // what is older is not watched any more
      return;
    }
  }
}

} // namespace

std::string ZoneDamage::text() const {
  if (pastTheZone) {
    return fmt::format("the memory more than {} bytes before a block was overwritten", kRedZoneBytes);
  }
  return fmt::format(
      "{} {} a block of {} bytes {} overwritten",
      nearest == farthest ? fmt::format("byte {}", nearest) : fmt::format("bytes {} to {}", nearest, farthest),
      behind ? "behind the end of" : "before the start of", blockBytes, nearest == farthest ? "was" : "were");
}

size_t guardedBytes(size_t bytes) {
  return kBeforeBlock + bytes + kRedZoneBytes;
}

void* guardBlock(void* memory, size_t bytes, ZoneKind kind) {
  auto* notes = static_cast<BlockNotes*>(memory);
  notes->bytes = bytes;
  notes->kind = kind;
  notes->seal = sealOf(notes);
  std::memcpy(zoneBefore(notes), intactZone(notes).data(), kRedZoneBytes);
  std::memcpy(zoneBehind(notes), intactZone(notes).data(), kRedZoneBytes);
  notes->newer = nullptr;
  const ListLock lock;
  notes->serial = ++lastSerial;
  notes->older = newest;
  if (newest != nullptr) {
    newest->newer = notes;
  }
  newest = notes;
  return zoneBefore(notes) + kRedZoneBytes;
}

std::optional<UnguardedBlock> unguardBlock(void* block) {
  auto* notes = reinterpret_cast<BlockNotes*>(static_cast<unsigned char*>(block) - kBeforeBlock);
  const ListLock lock;
  if (!check(notes)) {
    return std::nullopt;
  }
  if (notes->newer != nullptr) {
    notes->newer->older = notes->older;
  } else if (newest == notes) {
    newest = notes->older;
  }
  if (notes->older != nullptr) {
    notes->older->newer = notes->newer;
  }
  return UnguardedBlock{notes, guardedBytes(notes->bytes)};
}

void checkAllZones() {
  checkNewerThan(0);
}
void checkNewZones() {
  checkNewerThan(lastOldSerial);
}
void beginNewBlocks() {
  lastOldSerial = lastSerial;
}

void setDamageListener(DamageListener listener) {
  listens = listener;
}

} // namespace touchstone::worker
