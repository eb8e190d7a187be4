#pragma once

#include "program/parser/CaseParser.h"
#include "program/language/CasePrinter.h"
#include "program/evaluator/Evaluator.h"
#include "oracles/observe/CallRunner.h"

#include <functional>
#include <string>

namespace touchstone::oracles {

/// A Case from its functions and the entries of CALLS, as text.
inline graph::Case caseOf(const std::string& functions, const std::string& calls) {
  graph::ParseOptions options;
  options.checkMainPart = false;
  return graph::parseCase("# touchstone: 1\nimport torch\n\n\n" + graph::dataPreamble() + "\n\n" + functions +
                              "\n\nCALLS = [\n" + calls + "\n]\n",
                          options);
}

/// A Program in C++, where a test needs one that eager would not be.
class ProgramOf : public graph::Callable {
 public:
  explicit ProgramOf(std::function<graph::Value(graph::ValueList&)> call) : call_(std::move(call)) {}
  graph::Value operator()(graph::ValueList& arguments) override { return call_(arguments); }

 private:
  std::function<graph::Value(graph::ValueList&)> call_;
};

/// The observation of eager's run.
inline CaseObservation observe(const graph::Case& theCase, const RunOptions& options = {}) {
  return runCalls(theCase, *graph::eagerProgram(theCase, options.evaluator), options);
}
inline CaseObservation observe(const std::string& functions, const std::string& calls) {
  return observe(caseOf(functions, calls));
}

} // namespace touchstone::oracles
