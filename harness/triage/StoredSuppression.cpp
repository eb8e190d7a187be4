#include "harness/triage/StoredSuppression.h"

#include "base/AtomicFile.h"
#include "base/ExitStatus.h"
#include "harness/store/Database.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>

namespace touchstone::triage {

namespace {

constexpr int kDaysExcused = 90;

std::filesystem::path suppressionFile(const std::filesystem::path& folder, const std::string& id) {
  return folder / (id + ".suppression.json");
}

} // namespace

baseline::KnownFindings suppressionsBeside(const std::filesystem::path& folder, const std::string& id) {
  const std::filesystem::path file = suppressionFile(folder, id), older = folder / (id + ".mask.json");
  if (std::filesystem::exists(file)) {
    return baseline::readKnownFindings(file, /*today=*/"");
  }
  if (std::filesystem::exists(older)) {
    throw base::WrongUse(
        fmt::format("{} is of an older Touchstone. `touchstone suppress CASE` proposes a pattern in today's form, "
                    "which goes into {} (docs/known.md); then remove the older file.",
                    older.string(), file.filename().string()));
  }
  return {};
}

void writeSuppressionBeside(const std::filesystem::path& folder, const report::Finding& finding,
                            const SuppressionProposal& proposal, const std::string& today) {
  const std::filesystem::path file = suppressionFile(folder, finding.id);
  baseline::KnownEntry entry;
  entry.id = finding.id;
  entry.backend = finding.symptom.backend;
  entry.pattern = proposal.pattern;
  entry.reason = "proposed: " + checkText(proposal.check);
  entry.expires = daysAfter(today, kDaysExcused);
  entry.caseFile = finding.file;
  store::storing([&] { base::writeFile(file, baseline::withEntry(file, "", entry)); });
}

bool copySuppression(const std::string& id, const std::filesystem::path& caseFile,
                     const std::filesystem::path& copiedCaseFile) {
  const std::filesystem::path copy = suppressionFile(copiedCaseFile.parent_path(), id);
  if (std::filesystem::exists(copy)) {
    return false;
  }
  const baseline::KnownFindings suppressions = suppressionsBeside(caseFile.parent_path(), id);
  std::string text;
  for (baseline::KnownEntry entry : suppressions.entries()) {
    if (std::filesystem::weakly_canonical(entry.caseFile) == std::filesystem::weakly_canonical(caseFile)) {
      entry.caseFile = copiedCaseFile;
    }
    text = baseline::withEntry(copy, text, entry);
  }
  return !text.empty() && store::storing([&] { return base::writeNewFile(copy, text); });
}

std::string checkText(const PatternCheck& check) {
  const size_t wrong = check.loose.size() + check.inseparable.size();
  std::string text = fmt::format(
      "of {} neighbours {} behave, {} of which it matches, and it matches {} of the {} that fail", check.tried,
      check.behaving, wrong == 0 ? "none" : std::to_string(wrong), check.covered, check.failing);
  if (const size_t rest = check.tried - check.behaving - check.failing; rest > 0) {
    text += fmt::format("; {} tell nothing", rest);
  }
  if (!check.alike.empty()) {
    text += fmt::format(" ({} more behave and differ in numbers alone)", check.alike.size());
  }
  return text;
}

std::string daysAfter(const std::string& day, int days) {
  int year = 1970;
  unsigned month = 1, date = 1;
  std::sscanf(day.c_str(), "%4d-%2u-%2u", &year, &month, &date);
  const std::chrono::year_month_day later =
      std::chrono::sys_days(std::chrono::year(year) / std::chrono::month(month) / std::chrono::day(date)) +
      std::chrono::days(days);
  return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(later.year()), static_cast<unsigned>(later.month()),
                     static_cast<unsigned>(later.day()));
}

} // namespace touchstone::triage
