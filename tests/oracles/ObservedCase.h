#pragma once

#include "oracles/observe/CallRunner.h"
#include "program/evaluator/Evaluator.h"
#include "program/language/CasePrinter.h"
#include "program/parser/CaseParser.h"

#include <functional>
#include <string>

namespace touchstone::tests {

/// A Case from its functions and the entries of CALLS, as text.
inline language::Case caseOf(const std::string& functions, const std::string& calls) {
  parser::ParseOptions options;
  options.checkMainPart = false;
  return parser::parseCase("# touchstone: 1\nimport torch\n\n\n" + language::dataPreamble() + "\n\n" + functions +
                               "\n\nCALLS = [\n" + calls + "\n]\n",
                           options);
}

/// A Program in C++, where a test needs one that eager would not be.
class ProgramOf : public values::Callable {
 public:
  explicit ProgramOf(std::function<values::Value(values::ValueList&)> call) : call_(std::move(call)) {}
  values::Value operator()(values::ValueList& arguments) override { return call_(arguments); }

 private:
  std::function<values::Value(values::ValueList&)> call_;
};

/// The observation of eager's run.
inline observe::CaseObservation observe(const language::Case& theCase, const observe::RunOptions& options = {}) {
  return observe::runCalls(theCase, *evaluator::eagerProgram(theCase, options.evaluator), options);
}
inline observe::CaseObservation observe(const std::string& functions, const std::string& calls) {
  return observe(caseOf(functions, calls));
}

} // namespace touchstone::tests
