#pragma once

#include <cstdint>
#include <string_view>

namespace touchstone::catalogue {

/// One step of splitmix64: mixes 64 bits.
constexpr uint64_t mix(uint64_t value) {
  value += 0x9e3779b97f4a7c15ULL;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9ULL;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebULL;
  return value ^ (value >> 31);
}

/// FNV-1a of a name, mixed: the same on every machine and in every build.
constexpr uint64_t hashName(std::string_view name) {
  uint64_t hash = 0xcbf29ce484222325ULL;
  for (char character : name) {
    hash = (hash ^ static_cast<unsigned char>(character)) * 0x100000001b3ULL;
  }
  return mix(hash);
}

/// A stream of draws (splitmix64). The stream of a record's named choice, `Draw(attributes, "DIM")`, does not depend on
/// which other choices the record made before it.
class Draw {
 public:
  explicit Draw(uint64_t seed) : state_(seed) {}
  Draw(uint64_t seed, std::string_view choice) : state_(seed ^ hashName(choice)) {}

  uint64_t next() {
    const uint64_t value = mix(state_);
    state_ += 0x9e3779b97f4a7c15ULL;
    return value;
  }
  /// Uniform in [0, bound); 0 for bound <= 1.
  int64_t below(int64_t bound) {
    return bound <= 1 ? 0 : static_cast<int64_t>((next() >> 32) * static_cast<uint64_t>(bound) >> 32);
  }
  int64_t between(int64_t first, int64_t last) { return first + below(last - first + 1); }
  bool chance(int percent) { return below(100) < percent; }

 private:
  uint64_t state_;
};

} // namespace touchstone::catalogue
