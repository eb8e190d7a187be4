#include "harness/store/StartingCases.h"

#include "generators/catalogue/Draw.h"
#include "generators/mutation/Derivation.h"
#include "harness/pool/CaseFiles.h"
#include "program/standalone/CaseFile.h"

#include <algorithm>

namespace touchstone::store {

StartingCasePtr makeStartingCase(std::string name, language::Case theCase) {
  theCase.headers.clear();
  theCase.expectations.clear();
  return makeStartingCase(std::move(name), standalone::printCase(theCase));
}

StartingCasePtr makeStartingCase(std::string name, std::string text) {
  const uint64_t content = catalogue::hashName(text);
  return std::make_shared<const StartingCase>(StartingCase{std::move(name), std::move(text), content});
}

std::vector<StartingCasePtr> readStartingCases(const std::vector<std::string>& paths,
                                               std::vector<std::string>& errors) {
  std::vector<StartingCasePtr> cases;
  for (pool::CaseFile& file : pool::readCaseFiles(pool::findCaseFiles(paths), /*rewrite=*/false, errors)) {
    cases.push_back(makeStartingCase(file.path, std::move(file.content)));
  }
  const auto byContent = [](const StartingCasePtr& left, const StartingCasePtr& right) {
    return left->content < right->content;
  };
  const auto sameContent = [](const StartingCasePtr& left, const StartingCasePtr& right) {
    return left->content == right->content;
  };
  std::stable_sort(cases.begin(), cases.end(), byContent);
  cases.erase(std::unique(cases.begin(), cases.end(), sameContent), cases.end());
  return cases;
}

std::vector<StartingCasePtr> startsAmong(uint64_t seed, uint64_t index, const std::vector<StartingCasePtr>& cases) {
  std::vector<uint64_t> contents;
  contents.reserve(cases.size());
  for (const StartingCasePtr& each : cases) {
    contents.push_back(each->content);
  }
  std::vector<StartingCasePtr> starts;
  for (const size_t position : mutation::chooseStarts(seed, index, contents)) {
    starts.push_back(cases[position]);
  }
  return starts;
}

} // namespace touchstone::store
