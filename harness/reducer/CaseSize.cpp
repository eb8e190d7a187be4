#include "harness/reducer/CaseSize.h"

#include "harness/reducer/InputViews.h"
#include "program/analysis/ProgramSignature.h"
#include "program/language/CasePrinter.h"
#include "program/language/StatementEditing.h"
#include "program/parser/LanguageNames.h"

namespace touchstone::reducer {

std::string reducedText(const language::Case& theCase) {
  std::string text = language::printDefinitions(theCase);
  for (const auto* literals : {&theCase.compile.options, &theCase.compile.config}) {
    for (const auto& [key, value] : *literals) {
      text += key + language::printExpression(*value) + "\n";
    }
  }
  return text;
}

size_t dtypeOddity(const std::string& dtype) {
  return dtype == "float32" ? 0 : dtype == "int64" ? 1 : dtype == "bool" ? 2 : 3;
}

CaseSize sizeOf(const language::Case& theCase) {
  CaseSize size;
  size.operators = analysis::signatureOf(theCase).operators.size();
  for (const language::Function* function : theCase.allBodies()) {
    rewriteExpressions(*function, [&](const language::ExprPtr& expr) -> language::ExprPtr {
      if (const std::string dtype = dtypeNamed(*expr); !dtype.empty()) {
        size.oddities += dtypeOddity(dtype);
      } else if (const auto strided = stridedView(*expr)) {
        size.oddities += (strided->isContiguous() ? 0 : 1) + (strided->offset != 0 ? 1 : 0);
      }
      return nullptr;
    });
  }
  const std::string text = reducedText(theCase);
  size.characters = text.size();
  for (const char character : text) {
    size.digits += character >= '0' && character <= '9' ? static_cast<size_t>(character - '0') : 0;
  }
  return size;
}

} // namespace touchstone::reducer
