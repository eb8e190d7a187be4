#include "program/language/CasePrinter.h"

#include <algorithm>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace touchstone::language {
namespace {

constexpr std::string_view kCustomFunctions =
#include "program/language/custom_functions.inc"
    ;

/// The classes by name, in the order of the file.
const std::vector<std::pair<std::string, std::string>>& customFunctionTable() {
  static const auto table = [] {
    constexpr std::string_view kBegin = "\nclass ";
    std::vector<std::pair<std::string, std::string>> list;
    for (size_t at = kCustomFunctions.find(kBegin); at != std::string_view::npos;) {
      const std::string_view rest = kCustomFunctions.substr(at + 1);
      const std::string_view text = rest.substr(0, std::min(rest.find("\n\n\n"), rest.size() - 1) + 1);
      const size_t name = kBegin.size() - 1;
      list.emplace_back(text.substr(name, text.find('(') - name), text);
      at = kCustomFunctions.find(kBegin, at + text.size());
    }
    return list;
  }();
  return table;
}

} // namespace

// `Data.cpp` gives the same bits; a test compares the two for every kind and dtype.
const std::string& dataPreamble() {
  static const std::string text =
#include "program/language/data.inc"
      ;
  return text;
}

const std::string& dataOnDevicePreamble() {
  static const std::string text =
#include "program/language/data_on_device.inc"
      ;
  return text;
}

std::string deviceStatement(const std::string& device) {
  return "torch.set_default_device(\"" + device + "\")\n";
}

const std::string& customFunctionText(const std::string& name) {
  for (const auto& [known, text] : customFunctionTable()) {
    if (known == name) {
      return text;
    }
  }
  throw std::out_of_range("There is no custom autograd function `" + name + "` in the family.");
}

std::vector<std::string> customFunctionNames() {
  std::vector<std::string> names;
  for (const auto& [name, text] : customFunctionTable()) {
    names.push_back(name);
  }
  return names;
}

} // namespace touchstone::language
