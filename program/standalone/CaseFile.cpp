#include "program/standalone/CaseFile.h"

#include "program/standalone/MainPart.h"

namespace touchstone::standalone {

std::string printCase(const language::Case& theCase, language::CaseForm form) {
  std::string text = "# touchstone: " + std::to_string(language::kCaseFormatVersion) + "\n";
  for (const language::HeaderLine& line : theCase.headers) {
    text += "# " + line.key + ":" + (line.value.empty() ? "" : " " + line.value) + "\n";
  }
  for (const language::Expectation& expectation : theCase.expectations) {
    text += "# expect: " + expectation.text() + "\n";
  }
  text += language::printDefinitions(theCase, form);
  return form == language::CaseForm::kShort ? text : text + "\n\n" + printMainPart(theCase);
}

} // namespace touchstone::standalone
