#include "program/parser/CaseParserImports.h"

#include "program/language/PythonConstructs.h"

#include <algorithm>
#include <sstream>
#include <string_view>

namespace touchstone::parser {

namespace {

// Annotations are printed without it.
bool isTypingImport(const std::string& text) {
  constexpr std::string_view kStart = "from typing import ";
  if (!text.starts_with(kStart)) {
    return false;
  }
  std::istringstream names(text.substr(kStart.size()));
  for (std::string name; names >> name;) {
    if (name != "List" && name != "Optional" && name != "Tuple" && name != ",") {
      return false;
    }
  }
  return true;
}

std::string withoutSpaces(std::string text) {
  std::erase(text, ' ');
  return text;
}

} // namespace

void Imports::read(const SourceText& source, language::Place place, const std::vector<Token>& tokens) {
  std::string text;
  for (const Token& token : tokens) {
    text += token.kind == TokenKind::kNewline || token.kind == TokenKind::kEnd ? "" : token.text + " ";
  }
  if (hasTorch_ && isTypingImport(text)) {
    return;
  }
  if (hasTorch_ && !hasDecorator_ && text == "from torch . autograd . function import once_differentiable ") {
    hasDecorator_ = true; // printed with its whole name where it is used
    return;
  }
  constexpr std::string_view kImport = "import ";
  const std::string module = text.starts_with(kImport) ? withoutSpaces(text.substr(kImport.size())) : "";
  if (std::ranges::find(language::pythonModules(), module) != language::pythonModules().end() &&
      modules_.insert(module).second) {
    return;
  }
  const bool isTorch = tokens.size() == 4 && tokens[0].text == "import" && tokens[1].text == "torch" &&
                       tokens[2].kind == TokenKind::kNewline;
  if (!isTorch || hasTorch_) {
    source.fail(place, "this import is refused; expected " + expected());
  }
  hasTorch_ = true;
}

std::string Imports::expected() const {
  std::string text = hasTorch_ ? "" : "`import torch`, ";
  for (const std::string_view module : language::pythonModules()) {
    text += "`import " + std::string(module) + "`, ";
  }
  return text +
         "each once and without `as`, above the definitions; what they hold is written out, as in "
         "`torch.nn.functional.relu(x)`";
}

} // namespace touchstone::parser
