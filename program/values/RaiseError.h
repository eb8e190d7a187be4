#pragma once

#include <fmt/format.h>

#include <string>
#include <utility>

namespace touchstone::values {

/// Throws a RaisedException of Python's class `type`.
[[noreturn]] void raiseError(const char* type, std::string message);

/// raiseError("TypeError", "'{}' object is not callable", name)
template <class... Parts>
[[noreturn]] void raiseError(const char* type, fmt::format_string<Parts...> message, Parts&&... parts) {
  raiseError(type, fmt::vformat(message, fmt::make_format_args(parts...)));
}

} // namespace touchstone::values
