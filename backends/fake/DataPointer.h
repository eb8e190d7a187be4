#pragma once

#include <string_view>

namespace touchstone::fake {

/// The text of an exception says that somebody asked a tensor without memory, as fake ones are, for its data: values would
/// be read.
inline bool isOfDataPointer(std::string_view message) {
  return message.find("Cannot access data pointer") != std::string_view::npos;
}

} // namespace touchstone::fake
