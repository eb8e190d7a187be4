#pragma once

#include "program/language/Case.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace touchstone::store {

/// A Case that others are derived from.
struct SeedCase {
  std::string name; // its file, or `seed 7 case 12`
  std::string text; // printed, without headers and expectations
  uint64_t content = 0; // hash of the text
};
using SeedCasePtr = std::shared_ptr<const SeedCase>;

SeedCasePtr makeSeedCase(std::string name, language::Case theCase);
/// From the text that another one has.
SeedCasePtr makeSeedCase(std::string name, std::string text);

/// The Cases of these files and folders, each content once, in the order of their contents. Throws WrongUse for a path that
/// is not there; a file that cannot be read is left out and told in `errors`.
std::vector<SeedCasePtr> readSeedCases(const std::vector<std::string>& paths, std::vector<std::string>& errors);

/// The one or two of them that Case `index` of the campaign is derived from: depends on the two numbers and the contents,
/// not on names or order.
std::vector<SeedCasePtr> startsAmong(uint64_t seed, uint64_t index, const std::vector<SeedCasePtr>& cases);

} // namespace touchstone::store
