#include "harness/store/SeedCases.h"

#include "generators/catalogue/Draw.h"
#include "generators/mutation/CaseMutation.h"
#include "harness/pool/CaseFiles.h"
#include "program/standalone/CaseFile.h"

#include <algorithm>

namespace touchstone::store {

SeedCasePtr makeSeedCase(std::string name, language::Case theCase) {
  theCase.headers.clear();
  theCase.expectations.clear();
  return makeSeedCase(std::move(name), standalone::printCase(theCase));
}

SeedCasePtr makeSeedCase(std::string name, std::string text) {
  const uint64_t content = catalogue::hashName(text);
  return std::make_shared<const SeedCase>(SeedCase{std::move(name), std::move(text), content});
}

std::vector<SeedCasePtr> readSeedCases(const std::vector<std::string>& paths, std::vector<std::string>& errors) {
  std::vector<SeedCasePtr> cases;
  for (pool::CaseFile& file : pool::readCaseFiles(pool::findCaseFiles(paths), pool::OtherMainPart::kRefuse, errors)) {
    cases.push_back(makeSeedCase(file.path, std::move(file.content)));
  }
  const auto byContent = [](const SeedCasePtr& left, const SeedCasePtr& right) {
    return left->content < right->content;
  };
  const auto sameContent = [](const SeedCasePtr& left, const SeedCasePtr& right) {
    return left->content == right->content;
  };
  std::stable_sort(cases.begin(), cases.end(), byContent);
  cases.erase(std::unique(cases.begin(), cases.end(), sameContent), cases.end());
  return cases;
}

std::vector<SeedCasePtr> startsAmong(uint64_t seed, uint64_t index, const std::vector<SeedCasePtr>& cases) {
  std::vector<uint64_t> contents;
  contents.reserve(cases.size());
  for (const SeedCasePtr& each : cases) {
    contents.push_back(each->content);
  }
  std::vector<SeedCasePtr> starts;
  for (const size_t position : mutation::chooseStarts(seed, index, contents)) {
    starts.push_back(cases[position]);
  }
  return starts;
}

} // namespace touchstone::store
