#include "harness/options/Option.h"

#include <utility>

namespace touchstone::options {

OptionList::OptionList(Option option) {
  options_.push_back(std::move(option));
}

OptionList::OptionList(std::string names, Target target, std::string help, Traits traits)
    : OptionList(Option{std::move(names), std::move(target), std::move(help), std::move(traits)}) {}

OptionList::OptionList(std::initializer_list<OptionList> parts) {
  for (const OptionList& part : parts) {
    options_.insert(options_.end(), part.options_.begin(), part.options_.end());
  }
}

Option seed(Target seed, std::string help, bool showsDefault) {
  return {"--seed", seed, std::move(help), showsDefault ? notNegative().shown() : notNegative()};
}

Option start(uint64_t& start, std::string help) {
  return {"--start", &start, std::move(help), notNegative().shown()};
}

Option jobs(int& workers, std::string help, bool showsDefault) {
  return {"--jobs,-j", &workers, std::move(help), showsDefault ? between(1, 256).shown() : between(1, 256)};
}

Option backends(std::vector<std::string>& names, std::string help) {
  return {"--backends,-b", &names, std::move(help), split()};
}

Option jsonFlag(bool& json, std::string help) {
  return {"--json", &json, std::move(help)};
}

Option caseFile(std::string& path) {
  return {"case", &path, "Case file", required()};
}

Option caseFiles(std::vector<std::string>& paths) {
  return {"cases", &paths, "Case files, or folders of them", required()};
}

} // namespace touchstone::options
