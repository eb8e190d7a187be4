#include "program/language/ReachedText.h"

#include "program/language/CasePrinter.h"

#include <algorithm>
#include <iterator>
#include <set>

namespace touchstone::language {

std::string textReached(const Case& theCase, std::vector<const Function*> bodies) {
  std::string text;
  std::set<std::string> known;
  while (!bodies.empty()) {
    const Function* body = bodies.back();
    bodies.pop_back();
    const std::vector<std::string> bound = boundNames(*body);
    for (const StatementPtr& statement : body->body) {
      for (const std::string& name : namesRead(*statement)) {
        if (std::ranges::find(bound, name) != bound.end() || !known.insert(name).second) {
          continue;
        }
        if (const Function* called = theCase.find(name)) {
          text += printFunction(*called);
          bodies.push_back(called);
        } else if (const CustomFunction* applied = theCase.findCustomFunction(name)) {
          text += printCustomFunction(*applied);
          for (const Function& method : applied->methods) {
            bodies.push_back(&method);
          }
        } else if (const CustomOperator* made = theCase.findCustomOperator(name)) {
          text += printCustomOperator(*made);
          std::ranges::copy(made->bodies(), std::back_inserter(bodies));
        }
      }
    }
  }
  return text;
}

} // namespace touchstone::language
