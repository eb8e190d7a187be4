#include "graph/ir/PythonNames.h"

#include "graph/ir/CaseOperators.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <unordered_set>

namespace touchstone::ir {

namespace {

constexpr std::array<std::string_view, 35> kKeywords{
    "False", "None",     "True",  "and",    "as",   "assert", "async",  "await",    "break",
    "class", "continue", "def",   "del",    "elif", "else",   "except", "finally",  "for",
    "from",  "global",   "if",    "import", "in",   "is",     "lambda", "nonlocal", "not",
    "or",    "pass",     "raise", "return", "try",  "while",  "with",   "yield"};
// Used by what is printed.
constexpr std::array<std::string_view, 7> kUsed{"torch",     "float",     "complex", "getattr",
                                                "constants", "callables", "list"};

std::string variableName(const std::string& name) {
  std::string variable;
  for (const char letter : name) {
    variable += std::isalnum(static_cast<unsigned char>(letter)) != 0 ? letter : '_';
  }
  if (variable.empty() || std::isdigit(static_cast<unsigned char>(variable.front())) != 0) {
    variable = "n" + variable;
  }
  const bool isTaken =
      isPythonKeyword(variable) || std::find(kUsed.begin(), kUsed.end(), std::string_view(variable)) != kUsed.end();
  return isTaken ? variable + "_" : variable;
}

} // namespace

bool isPythonKeyword(std::string_view word) {
  return std::find(kKeywords.begin(), kKeywords.end(), word) != kKeywords.end();
}

std::string pythonOperator(const std::string& given) {
  const std::string target = withoutCaseMark(given);
  const size_t colons = target.find("::");
  if (colons == std::string::npos) {
    return target;
  }
  const std::string name = target.substr(colons + 2);
  const size_t dot = name.find('.');
  const std::string overload = dot == std::string::npos ? "default" : name.substr(dot + 1);
  const std::string packet = "torch.ops." + target.substr(0, colons) + "." + name.substr(0, dot);
  return isPythonKeyword(overload) ? "getattr(" + packet + ", \"" + overload + "\")" : packet + "." + overload;
}

std::vector<std::string> pythonNames(const Graph& graph) {
  std::unordered_set<std::string> taken;
  std::vector<std::string> names;
  for (const Node& node : graph.nodes()) { // most stay as they are
    names.push_back(variableName(node.name));
    if (names.back() == node.name) {
      taken.insert(node.name);
    }
  }
  for (size_t i = 0; i < names.size(); ++i) {
    if (names[i] != graph.nodes()[i].name) {
      while (!taken.insert(names[i]).second) {
        names[i] += "_";
      }
    }
  }
  return names;
}

std::string quotedPython(const std::string& text) {
  constexpr const char* kDigits = "0123456789abcdef";
  std::string result = "\"";
  for (const char character : text) {
    const auto byte = static_cast<unsigned char>(character);
    if (character == '"' || character == '\\') {
      result += '\\';
      result += character;
    } else if (character == '\n') {
      result += "\\n";
    } else if (byte < 0x20 || byte == 0x7f) {
      result += std::string("\\x") + kDigits[byte >> 4U] + kDigits[byte & 15U];
    } else {
      result += character;
    }
  }
  return result + '"';
}

} // namespace touchstone::ir
