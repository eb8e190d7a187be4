#include "backends/graph_files/SealedText.h"

#include <fmt/format.h>

#include <cstdint>

namespace touchstone::graph_files {

namespace {

std::string compact(const nlohmann::json& content) {
  return content.dump(-1, ' ', /*ensure_ascii=*/true, nlohmann::json::error_handler_t::replace);
}

} // namespace

std::string checksumOf(std::string_view first, std::string_view second) {
  uint64_t sum = 0xcbf29ce484222325U;
  for (const std::string_view part : {first, second}) {
    for (const char character : part) {
      sum = (sum ^ static_cast<unsigned char>(character)) * 0x100000001b3U;
    }
  }
  return fmt::format("{:016x}", sum);
}

std::string sealed(const std::string& kind, const nlohmann::json& content, std::string_view bytes) {
  const std::string text = compact(content);
  return fmt::format(R"({{"touchstone": "{}", "format": {}, "checksum": "{}", "content": {}}})", kind, kGraphFormat,
                     checksumOf(text, bytes), text) +
         "\n" + std::string(bytes);
}

Opened openSealed(const std::string& text, const std::string& kind, const std::filesystem::path& path) {
  const size_t end = text.find('\n');
  nlohmann::json envelope = nlohmann::json::parse(text.substr(0, end), nullptr, /*allow_exceptions=*/false);
  const auto number = [&](const char* key) {
    return envelope.is_object() && envelope.contains(key) && envelope[key].is_number_integer()
               ? envelope[key].get<int64_t>()
               : -1;
  };
  const auto word = [&](const char* key) {
    return envelope.is_object() && envelope.contains(key) && envelope[key].is_string()
               ? envelope[key].get<std::string>()
               : "";
  };
  if (end == std::string::npos || envelope.is_discarded() || word("touchstone").empty() || number("format") < 1) {
    throw GraphFileError(
        fmt::format("{}: this is no file of a folder of Graphs, or it is cut off or damaged.", path.string()));
  }
  if (number("format") > kGraphFormat) {
    throw GraphFileError(
        fmt::format("{}: it has format {}, and this build of Touchstone reads formats up to {}. A newer "
                    "build has written it.",
                    path.string(), number("format"), kGraphFormat));
  }
  if (word("touchstone") != kind) {
    throw GraphFileError(
        fmt::format("{}: it holds `{}`, and `{}` was looked for.", path.string(), word("touchstone"), kind));
  }
  std::string bytes = text.substr(end + 1);
  if (!envelope.contains("content") || checksumOf(compact(envelope["content"]), bytes) != word("checksum")) {
    throw GraphFileError(fmt::format(
        "{}: it is damaged: what it holds does not have the checksum that it was written with.", path.string()));
  }
  return {std::move(envelope["content"]), std::move(bytes)};
}

} // namespace touchstone::graph_files
