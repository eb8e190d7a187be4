#pragma once

#include "harness/baseline/KnownFindings.h"
#include "harness/pool/WorkerPool.h"
#include "program/language/Case.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace touchstone::baseline {

/// What became of something that was found.
enum class RetestStatus {
  kStillThere,
  kFixed, // every run agrees
  kChanged, // every run shows something else
  kFlaky, // not every run shows it
  kNotJudged, // no run tells: eager rejects the Case, nothing was compiled, …
  kNoCase, // a known entry without a Case
};
/// `still there`, `fixed: remove me`, …
std::string_view retestStatusName(RetestStatus status);

/// A finding, or a known entry with its Case.
struct RetestSubject {
  std::string id; // of the entry, or the cluster; empty: neither
  std::string file;
  std::string backend;
  std::optional<language::Case> theCase; // none: a known entry without one
  std::string expires; // of a known entry
  bool isExpired = false;
  std::string cluster; // of the Case: how a store knows it; empty: it is none of a campaign's findings
  std::string missingProfile = {}; // it was found with this one, and says nothing without; empty: it can be run

  bool canBeRun() const { return theCase.has_value() && missingProfile.empty(); }
};

struct RetestResult {
  std::string id, file, backend, expires, cluster;
  bool isExpired = false;
  RetestStatus status = RetestStatus::kNotJudged;
  std::string expected; // the symptom or expectation
  std::string found; // what the runs made of it, each once
  std::string message; // of the last run
  /// The list is not true any more: it is fixed, changed or expired.
  bool needsAPerson() const;
};
using RetestSink = std::function<void(const RetestResult&)>;

/// The backend that a known entry's Case is run under: the entry's, or the one that the file was found under or expects
/// something of, where the entry's is a pattern. Empty: none.
std::string backendOf(const KnownEntry& entry, const language::Case& theCase);
/// The entry's Case, read. Throws WrongUse and parser::ParseError.
RetestSubject subjectOf(const KnownEntry& entry, const KnownFindings& known);
/// What the file says was found, once for each backend; none: it is no finding. With a backend given, the Case under that one.
std::vector<RetestSubject> subjectsIn(const std::string& file, const language::Case& theCase,
                                      const std::string& givenBackend = "");

/// Runs each Case three times, in fresh children, and tells what became of it as soon as that is known. Throws Interrupted.
void retest(pool::WorkerPool& pool, const std::vector<RetestSubject>& subjects, const RetestSink& sink);

} // namespace touchstone::baseline
