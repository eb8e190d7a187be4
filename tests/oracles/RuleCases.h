#pragma once

#include "PlantedProgram.h"
#include "oracles/compare/Rules.h"
#include "program/values/RaisedException.h"

#include <gtest/gtest.h>

#include <string>

namespace touchstone::tests {

inline constexpr const char* kRulesInputs = R"(
def inputs(seed, kind):
    x = data((2, 3), torch.float32, (seed, 0), kind).requires_grad_()
    y = data((2, 3), torch.float32, (seed, 1), kind)
    v = data((3,), torch.float32, (seed, 2), kind)
    return (x, y, v), ()


)";

inline constexpr const char* kOneTensor =
    "def inputs(seed, kind):\n    x = data((2,), torch.float32, (seed, 1), kind).requires_grad_()\n"
    "    return (x,), ()\n\n\n";

/// Two calls of the same kind, the second with other values.
inline language::Case twice(const std::string& program, const std::string& settings = "",
                            const char* inputs = kRulesInputs) {
  const std::string rest = settings.empty() ? ")," : ", " + settings + "),";
  return caseOf(inputs + program,
                "    dict(inputs=\"inputs\", seed=7" + rest + "\n    dict(inputs=\"inputs\", seed=8" + rest);
}

inline PlantedProgram::Plant raises(const std::string& type, const std::string& message,
                                    const std::string& phase = "compile") {
  return [=](values::Callable&, values::ValueList&) -> values::Value {
    values::RaisedException exception(type, message);
    exception.phase = phase;
    throw exception;
  };
}

inline void expectAllowed(const compare::CaseVerdict& verdict, compare::Rule rule) {
  EXPECT_EQ(verdict.text(), "Agreed") << verdict.worst().message;
  EXPECT_EQ(allowedBy(verdict, rule), 2) << "in both calls";
}

} // namespace touchstone::tests
