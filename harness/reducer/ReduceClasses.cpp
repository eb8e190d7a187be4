#include "harness/reducer/ReductionPasses.h"

#include <cstddef>

namespace touchstone::reducer {

namespace {

/// One candidate for each item of the list that `listOf` finds in a Case, without it; the last first.
template <class ListOf>
void addWithoutEach(std::vector<language::Case>& result, const language::Case& theCase, const ListOf& listOf) {
  language::Case counted = theCase;
  for (size_t item = listOf(counted).size(); item-- > 0;) {
    result.push_back(theCase);
    auto& list = listOf(result.back());
    list.erase(list.begin() + static_cast<std::ptrdiff_t>(item));
  }
}

} // namespace

std::vector<language::Case> dropMembers(const language::Case& theCase) {
  std::vector<language::Case> result;
  addWithoutEach(result, theCase, [](language::Case& each) -> auto& { return each.constants; });
  for (size_t i = 0; i < theCase.classes.size(); ++i) {
    addWithoutEach(result, theCase, [i](language::Case& each) -> auto& { return each.classes[i].methods; });
    addWithoutEach(result, theCase, [i](language::Case& each) -> auto& { return each.classes[i].fields; });
    addWithoutEach(result, theCase, [i](language::Case& each) -> auto& { return each.classes[i].decorators; });
    for (size_t method = 0; method < theCase.classes[i].methods.size(); ++method) {
      addWithoutEach(result, theCase,
                     [i, method](language::Case& each) -> auto& { return each.classes[i].methods[method].decorators; });
    }
  }
  for (size_t i = 0; i < theCase.functions.size(); ++i) {
    addWithoutEach(result, theCase, [i](language::Case& each) -> auto& { return each.functions[i].decorators; });
  }
  return result;
}

} // namespace touchstone::reducer
