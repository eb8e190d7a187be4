#pragma once

#include "harness/worker/Profile.h"
#include "harness/worker/Symptom.h"
#include "program/language/Case.h"

#include <string>
#include <vector>

namespace touchstone::findings {

/// What the header lines of a finding's case file say: `# found-by: seed 7 case 12`. What is empty is not said.
struct FindingHeaders {
  std::string torch, cpu, generator; // what it was found with
  std::string change, left, right; // of `touchstone diff`: the cluster, and what each side came to
  std::string foundBy; // `seed 7 case 12, mutated from …`
  std::string cluster;
  worker::Symptom symptom;
  std::string profile; // name of the file beside it that it was judged under
  std::string stage; // see report::stageText()
  std::vector<std::string> notes; // the message is the first

  std::string message() const { return notes.empty() ? "" : notes.front(); }
  /// Before the other notes; an empty one is none.
  void setMessage(const std::string& message);
  /// One of the notes says so, see noteUnfinished().
  bool isUnfinished() const;
};
FindingHeaders headersOf(const language::Case& theCase);
/// Makes the Case say just that; its other headers stay.
void setHeaders(language::Case& theCase, const FindingHeaders& headers);

/// A note that reducing was not finished, and why: an interrupt, or the time.
void noteUnfinished(language::Case& theCase);
/// Puts into a file about this backend which modules the profile imports, so that the file runs alone.
void noteImports(language::Case& theCase, const std::string& backend, const worker::Profile& profile);

} // namespace touchstone::findings
