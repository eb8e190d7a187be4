#pragma once

#include "program/parser/CaseParser.h"

#include <string>

namespace touchstone::tests {

/// A whole file around the body of `program`, whose first line is line 10 of the file.
inline std::string fileWith(const std::string& body) {
  return "# touchstone: 1\nimport torch\n\n\ndef inputs(seed, kind):\n"
         "    x = data((2, 3), torch.float32, (seed, 0), kind)\n    return (x, x), ()\n\n"
         "def program(x, y):\n" +
         body + "\n\ndef touch(args, outs):\n    args[0].mul_(2)\n\nCALLS = [dict(inputs=\"inputs\", seed=7)]\n";
}

/// Why a file is refused, or `accepted`.
inline std::string messageOf(const std::string& text, const parser::ParseOptions& options = {}) {
  try {
    parser::parseCase(text, options);
  } catch (const parser::ParseError& error) {
    return error.what();
  }
  return "accepted";
}

} // namespace touchstone::tests
