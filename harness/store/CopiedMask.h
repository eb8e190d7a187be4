#pragma once

#include <filesystem>
#include <string>

namespace touchstone::harness {

/// Copies the mask that lies beside a finding's case file, `ID.mask.json`, beside its case file elsewhere, and lets its `case`
/// name that one. A mask that is there is left as it is. False: nothing was copied, as there is none, or one is there.
/// Throws WrongUse where the mask cannot be read, and StoreError where the copy cannot be written.
bool copyMask(const std::string& id, const std::filesystem::path& caseFile,
              const std::filesystem::path& copiedCaseFile);

} // namespace touchstone::harness
