// Any text is a Case or a ParseError; what was read prints as a text that reads back as itself.
#include "program/parser/CaseParser.h"
#include "program/standalone/CaseFile.h"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <optional>
#include <string>

namespace {

using namespace touchstone;

std::optional<language::Case> read(const std::string& text) {
  parser::ParseOptions options;
  options.checkMainPart = false; // hardly any text has the right one, and it is not what is looked for
  try {
    return parser::parseCase(text, options);
  } catch (const parser::ParseError&) {
    return std::nullopt;
  }
}

std::string printedAgain(const std::string& text) {
  try {
    return standalone::printCase(parser::parseCase(text));
  } catch (const std::exception& error) {
    return error.what();
  }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::optional<language::Case> theCase = read({reinterpret_cast<const char*>(data), size});
  if (!theCase.has_value()) {
    return 0;
  }
  const std::string text = standalone::printCase(*theCase);
  if (const std::string again = printedAgain(text); again != text) {
    std::fprintf(stderr, "What was printed reads back as something else:\n%s\n---\n%s\n", text.c_str(), again.c_str());
    std::abort();
  }
  return 0;
}
