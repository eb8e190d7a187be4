#pragma once

#include "harness/findings/FindingHeaders.h"
#include "harness/findings/OtherFindings.h"
#include "harness/reducer/Reducer.h"
#include "harness/worker/Job.h"

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

// The way from a Case that showed something once to the file of a finding, one for `fuzz`, `reduce`, `diff` and properties:
// confirm, reduce, confirm again, label, write. They differ in how a Case is run, in how candidates are judged, and in where the
// file goes.

namespace touchstone::findings {

/// What came of running a Case again.
struct Confirmation {
  int shown = 0, runs = 0; // how often the symptom was seen, of how many
  std::string upstream; // the weaker pipeline that shows it too, each time; empty: the backend's own
  worker::BackendResult result; // of the last run that showed it; where none did, of the last
  std::string history; // what each run made of it, one a line

  bool recurs() const { return shown == runs; } // the same symptom, each time
  /// Counts a run that may show what was seen.
  void add(const worker::JobResult& run, const worker::BackendResult& seen);
};
/// `eager Differs/values/call 0 output 0: …`
std::string describeRun(const worker::JobResult& run);
bool showsSymptomOf(const worker::JobResult& run, const worker::BackendResult& seen);

/// Runs a Case so many times, each by itself, and says whether it shows what was seen.
using RunAlone = std::function<Confirmation(const std::string& caseText, const worker::BackendResult& seen, int times)>;

/// A Case that showed something, and what the steps find out about it.
struct Suspect {
  language::Case theCase; // as small as it is by now
  worker::BackendResult result; // what it showed first; once it is reduced, what it shows now
  std::string foundBy = {}; // `seed 7 case 12`
  int shown = 1, runs = 1; // how often it was seen, of how many
  std::string upstream = {}; // see Confirmation
  std::string history = {};
  bool isFinished = true; // false: an interrupt or the time ended reducing

  /// Not every run showed it.
  bool isFlaky() const { return shown < runs; }
  std::string flakyText() const; // `flaky (3 of 12)`
  /// Runs of a candidate, so that few that show it are missed.
  int repetitions() const;
};

/// What is done about a symptom that does not recur each time.
enum class IfFlaky {
  kLeave, // it is not confirmed
  kMeasure, // it is looked for ten times more: somebody asked for this Case
};
/// Takes away what a Case was called by as a finding, and its notes: for who makes another one of it.
void forgetFinding(language::Case& theCase);

/// The first step. True: it shows again, each time or as often as asked for, and no weaker pipeline shows it.
bool confirm(Suspect& suspect, const RunAlone& run, IfFlaky ifFlaky = IfFlaky::kLeave);

/// The second and the third: makes the Case smaller as long as the judge agrees, its last call once more where that keeps the
/// symptom, and takes the last step that shows it once more, in a run by itself; the message and the place are of that.
void reduce(Suspect& suspect, const reducer::CandidateJudge& judge, const RunAlone& run,
            const reducer::ReducerOptions& options);

/// The fourth: what the Case's file says of itself, what is expected of it, and what the profile imports.
void label(language::Case& theCase, const FindingHeaders& headers, std::vector<language::Expectation> expectations,
           const worker::Profile& profile = {});

/// Where in its Case a result's symptom shows.
reducer::GuiltyPlace placeOf(const worker::BackendResult& result);

/// The last of a reduction's steps that still shows the symptom, in as many runs as given; of a flaky one in any of them.
/// Steps are tried from the last, by leaps; none: not even the first shows it.
struct ConfirmedStep {
  size_t step = 0;
  Confirmation confirmation;
};
std::optional<ConfirmedStep> confirmLast(const RunAlone& run, const std::vector<language::Case>& steps,
                                         const worker::BackendResult& seen, int times, bool isFlaky = false);

/// What a reduction met beside its way, where it recurs as the backend's own; it was not blamed before.
std::optional<Suspect> confirmedOther(const OtherFinding& other, const std::string& foundBy, const RunAlone& run);

/// Writes what was not confirmed to `unconfirmed/` in the folder, with what each run came to, in place of the last step. The
/// text may be empty: of a Case that could not be printed the comments are kept. Throws std::runtime_error.
void writeUnconfirmed(const std::filesystem::path& folder, const std::string& caseText, const Suspect& suspect);

// What such files are made of, for those that are no findings.
/// The text with each line as a `# note:` behind its first line.
std::string withComments(const std::string& caseText, const std::vector<std::string>& comments);
/// Letters, digits, `_` and `.`; `-` for anything else.
std::string asFileName(const std::string& text);
/// `seed-7-case-12` of `seed 7 case 12, mutated from …`, `small` of `cases/small.py`.
std::string caseName(const std::string& foundBy);

} // namespace touchstone::findings
