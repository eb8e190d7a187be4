#pragma once

#include "program/evaluator/Evaluator.h"
#include "program/parser/CaseParser.h"

#include <string>

namespace touchstone::bench {

/// A Program of so many operations: a chain of sin and `product`, mul, mm or matmul, on 16x16 tensors, both inputs requiring grad.
inline language::Case chainCase(int64_t operations, const std::string& product = "mul") {
  std::string text =
      "# touchstone: 1\nimport torch\n\n\ndef inputs(seed, kind):\n"
      "    x = data((16, 16), torch.float32, (seed, 0), kind).requires_grad_()\n"
      "    w = data((16, 16), torch.float32, (seed, 1), kind).requires_grad_()\n"
      "    return (x, w), ()\n\n\ndef program(x, w):\n    y = x\n";
  for (int64_t i = 0; i < operations; ++i) {
    text += i % 2 == 0 ? "    y = torch.sin(y)\n" : "    y = torch." + product + "(y, w)\n";
  }
  parser::ParseOptions options;
  options.checkMainPart = false;
  return parser::parseCase(text + "    return y\n\n\nCALLS = [\n    dict(inputs=\"inputs\", seed=1),\n]\n", options);
}

} // namespace touchstone::bench
