#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace touchstone::worker {

/// A change of the bytes around a block that belong to nobody.
struct ZoneDamage {
  size_t blockBytes = 0; // asked for
  bool behind = true; // else before the block
  size_t nearest = 0,
         farthest = 0; // the bytes of the zone that changed lie between these, counted from 0 at the block's edge
  /// Changed beyond the zone, in what is noted of the block: its size is not known any more.
  bool pastTheZone = false;

  /// What was changed, as the end of a sentence.
  std::string text() const;
};

/// Bytes on either side of a block that are watched; a multiple of the alignment of libtorch's blocks, which stays.
constexpr size_t kRedZoneBytes = 64;
/// What a block of `bytes` takes with its zones and the notes on it.
size_t guardedBytes(size_t bytes);
/// Of which bytes zones are: what is read there is another number under the other kind, of the other sign.
enum class ZoneKind : unsigned char { kFirst, kSecond };
/// Makes a guarded block of `bytes` in memory of guardedBytes(bytes); returns its address.
void* guardBlock(void* memory, size_t bytes, ZoneKind kind = ZoneKind::kFirst);
/// Looks at the zones of a block that is to be freed, and gives its memory and size with them. None where the notes on it were
/// overwritten: such a block must stay.
struct UnguardedBlock {
  void* memory = nullptr;
  size_t bytes = 0;
};
std::optional<UnguardedBlock> unguardBlock(void* block);

/// Looks at the zones of all blocks, or of those made since the last call of beginNewBlocks(), the newest first. A zone
/// that was changed is noted and made whole, so that it is noted once.
void checkAllZones();
void checkNewZones();
void beginNewBlocks();

/// Called with what is noticed; it must not make or free blocks. Null: nobody listens.
using DamageListener = void (*)(const ZoneDamage& damage);
void setDamageListener(DamageListener listener);

} // namespace touchstone::worker
