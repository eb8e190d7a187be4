#pragma once

#include "harness/pool/ProfileFlags.h"
#include "harness/store/FindingDatabase.h"
#include "program/language/Case.h"

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace touchstone::store {

/// What a finding's case file says in its headers and expectations; `text` is the whole file. Without a file's name, times and
/// torch of its sights.
StoredFinding storedFindingOf(const language::Case& theCase, const std::string& text);

/// A case file with a `cluster` header.
struct FindingFile {
  std::filesystem::path path;
  std::string text;
  language::Case theCase;
};
/// Those of a folder, by name, not of the folders in it. What is no finding of ours, or cannot be read, is left alone.
std::vector<FindingFile> findingFilesIn(const std::filesystem::path& folder);

/// `12` of `sequences seed 7 case 12, mutated from …`; empty: it says no such thing.
std::string caseIndexOf(const std::string& foundBy);

/// Reads files that the store has no finding for into it: what there is from before a folder had a store. They get the time at
/// which the file was last written, and a campaign of which no more than the seed is known.
void adoptFiles(FindingDatabase& database, const std::vector<FindingFile>& files);

/// Writes the file, or another with a number in its name where there is one of that name with another text. Returns where.
/// Throws StoreError.
std::filesystem::path writeCaseFile(const std::filesystem::path& folder, const std::string& name,
                                    const std::string& text);

} // namespace touchstone::store
