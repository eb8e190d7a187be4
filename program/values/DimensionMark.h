#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace touchstone::values {

/// What an `inputs` function says of one dimension of a tensor: a compiler may be asked to take its size as a symbol, or not to.
struct DimensionMark {
  std::string function; // the name after `torch._dynamo.`: `mark_dynamic`, `decorators.mark_unbacked`
  int64_t dimension = 0;
  std::optional<int64_t> minimum, maximum; // of `mark_dynamic`
};

} // namespace touchstone::values
