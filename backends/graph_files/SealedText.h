#pragma once

#include <nlohmann/json.hpp>

#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>

namespace touchstone::graph_files {

/// A file of a folder of Graphs cannot be taken: it is missing, damaged, or of a newer format. `what()` names it.
class GraphFileError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Version of all files of a folder of Graphs. A reader takes its own and older ones.
inline constexpr int kGraphFormat = 1;

/// A line of JSON: `{"touchstone": KIND, "format": 1, "checksum": "…", "content": …}`. The checksum is that of the content
/// as it is written here and, where there are some, of the bytes behind the line.
std::string sealed(const std::string& kind, const nlohmann::json& content, std::string_view bytes = {});

/// What sealed() was given. Throws GraphFileError, which begins with `path`, when the text is cut off, changed, of another
/// kind, or of a newer format.
struct Opened {
  nlohmann::json content;
  std::string bytes; // behind the line
};
Opened openSealed(const std::string& text, const std::string& kind, const std::filesystem::path& path);

/// FNV-1a, 64 bits (http://www.isthe.com/chongo/tech/comp/fnv/), as 16 digits; finds damage, keeps nobody out.
std::string checksumOf(std::string_view first, std::string_view second = {});

} // namespace touchstone::graph_files
