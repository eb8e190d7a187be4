#pragma once

#include "harness/options/Option.h"
#include "harness/suppressions/Pattern.h"
#include "harness/worker/Symptom.h"
#include "program/language/Case.h"

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace touchstone::baseline {

/// A finding that is known, and until when that is reason enough not to report it. docs/known.md has the file's form.
struct KnownEntry {
  std::string id;
  std::string backend = "*"; // `*` stands for any letters
  std::string cluster, symptom; // one of these, or the pattern
  std::optional<suppressions::Pattern> pattern;
  std::vector<std::string> oracles; // of a pattern: only what these see; empty: whatever shows
  std::string reason, link;
  std::string expires; // `2027-03-01`, the last day; empty, in the old form of the file: never
  std::string caseFile; // that shows it; empty: none
  bool skips = false; // what the pattern matches is not even compiled

  bool isAbout(const std::string& backendName) const;
  /// A pattern without `oracles`, or one of them is what the symptom is told by.
  bool isAboutSymptom(const worker::Symptom& symptom) const;
};

/// The file that `--known` names.
class KnownFindings {
 public:
  KnownFindings() = default;
  KnownFindings(std::string file, std::vector<KnownEntry> entries, std::string today);

  const std::string& file() const { return file_; }
  const std::vector<KnownEntry>& entries() const { return entries_; }
  bool isExpired(const KnownEntry& entry) const;
  std::vector<KnownEntry> expired() const;

  // Which entry knows it; null: none does. Those that have expired know nothing.
  const KnownEntry* bySymptom(const worker::Symptom& symptom) const;
  const KnownEntry* byCluster(const std::string& id, const std::string& backend) const;
  const KnownEntry* byPattern(const analysis::FlatProgram& program, const worker::Symptom& symptom) const;
  std::vector<const KnownEntry*> allByPattern(const analysis::FlatProgram& program,
                                              const worker::Symptom& symptom) const;
  /// Any of the three.
  const KnownEntry* find(const language::Case& theCase, const worker::Symptom& symptom) const;
  /// Entries with a pattern that are asked before anything is compiled.
  std::vector<KnownEntry> skipping() const;

 private:
  template <class Fits>
  const KnownEntry* first(Fits fits) const; // that has not expired
  bool suppresses(const KnownEntry& entry, const analysis::FlatProgram& program, const worker::Symptom& symptom) const;

  std::string file_;
  std::vector<KnownEntry> entries_;
  std::string today_;
};

/// Today's date in UTC: `2027-02-28`.
std::string todayUtc();
/// True for a date that there is, as `2027-02-28`.
bool isDate(const std::string& text);
options::Traits isDay();
/// `--today`, of every command that reads a known file.
options::Option todayOption(std::string& today);

/// Reads the file; `today` decides what has expired. JSON, or the old form: a cluster id or a symptom (Symptom::line()) a line,
/// `#` begins a comment. Throws WrongUse, which names the entry or line and what is wrong with it.
KnownFindings readKnownFindings(const std::string& file, const std::string& today);
/// The same of what a command line names: no file, none; no day, the clock's.
KnownFindings givenKnownFindings(const std::string& file, const std::string& today = "");

/// The file's text with the entry behind the others; an empty text begins one. The entry's case is written as a path from
/// the file's folder. Throws WrongUse where an entry has that id.
std::string withEntry(const std::string& file, const std::string& text, const KnownEntry& entry);

/// Whether a Case with this symptom is known, for whoever looks for what is not: a reducer's `isExcluded`.
using IsKnown = std::function<bool(const language::Case& theCase, const worker::Symptom& symptom)>;
/// One of the entries is not among those before.
bool holdsAnother(const std::vector<const KnownEntry*>& entries, const std::vector<const KnownEntry*>& before);
/// Whether a pattern of `known` matches that does not match `start`, for the reduction of that.
IsKnown suppressedOtherwiseIn(const KnownFindings& known, const language::Case& start, const worker::Symptom& symptom);

} // namespace touchstone::baseline
