#include "harness/store/CopiedMask.h"

#include "harness/AtomicFile.h"
#include "harness/known/KnownFindings.h"
#include "harness/store/Database.h"

namespace touchstone::harness {

bool copyMask(const std::string& id, const std::filesystem::path& caseFile,
              const std::filesystem::path& copiedCaseFile) {
  const std::string name = id + ".mask.json"; // as harness/known/StoredMask.h has it
  const std::filesystem::path mask = caseFile.parent_path() / name, copy = copiedCaseFile.parent_path() / name;
  if (!std::filesystem::exists(mask) || std::filesystem::exists(copy)) {
    return false;
  }
  const KnownFindings known = readKnownFindings(mask, /*today=*/"");
  std::string text;
  for (KnownEntry entry : known.entries()) {
    if (std::filesystem::weakly_canonical(entry.caseFile) == std::filesystem::weakly_canonical(caseFile)) {
      entry.caseFile = copiedCaseFile;
    }
    text = withEntry(copy, text, entry);
  }
  return !text.empty() && storing([&] { return writeNewFile(copy, text); });
}

} // namespace touchstone::harness
