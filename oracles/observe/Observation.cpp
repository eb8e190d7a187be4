#include "oracles/observe/Observation.h"

#include <array>

namespace touchstone::observe {

std::string Location::text() const {
  constexpr std::array<const char*, 5> kNames = {"output ", "arg ", "watched ", "leaf ", "tangent "};
  return kNames[static_cast<size_t>(role)] + std::to_string(index);
}

} // namespace touchstone::observe
