#include "graph/runtime/GraphCallable.h"

#include <cstddef>
#include <utility>

namespace touchstone::runtime {

CallableCall CallableCall::custom(
    std::string name, const values::ValueList& positional, const torch_names::KeywordList& keywords,
    std::function<values::Value(const values::ValueList&, const torch_names::KeywordList&)> function) {
  CallableCall call;
  call.name = std::move(name);
  call.arguments = positional;
  std::vector<std::string> names;
  for (const auto& [keyword, value] : keywords) {
    names.push_back(keyword);
    call.arguments.push_back(value);
  }
  call.run = [function = std::move(function), names = std::move(names)](const values::ValueList& arguments) {
    const size_t positionals = arguments.size() - names.size();
    torch_names::KeywordList named;
    for (size_t i = 0; i < names.size(); ++i) {
      named.emplace_back(names[i], arguments[positionals + i]);
    }
    return function(values::ValueList(arguments.begin(), arguments.begin() + static_cast<std::ptrdiff_t>(positionals)),
                    named);
  };
  return call;
}

} // namespace touchstone::runtime
