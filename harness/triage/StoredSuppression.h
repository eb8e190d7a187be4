#pragma once

#include "harness/baseline/KnownFindings.h"
#include "harness/report/Finding.h"
#include "harness/triage/SuppressionProposal.h"

#include <filesystem>
#include <string>

namespace touchstone::triage {

/// What lies beside a finding as `ID.suppression.json` in the folder: a file for `--known`, of one entry as it is written. A
/// campaign reads it again, so what a person changes in it counts, but the day: in its own campaign it never expires. Without
/// entries: there is no such file. Throws WrongUse where it cannot be read, or there is one of an older Touchstone in its place.
baseline::KnownFindings suppressionsBeside(const std::filesystem::path& folder, const std::string& id);

/// Writes it, to excuse the finding for three months from `today`, where it is given to `--known`.
void writeSuppressionBeside(const std::filesystem::path& folder, const report::Finding& finding,
                            const SuppressionProposal& proposal, const std::string& today);

/// Copies the suppression that lies beside a finding's case file, `ID.suppression.json`, beside its case file elsewhere, and
/// lets its `case` name that one. A suppression that is there is left as it is. False: nothing was copied, as there is none, or one is there.
/// Throws WrongUse where the suppression cannot be read, and StoreError where the copy cannot be written.
bool copySuppression(const std::string& id, const std::filesystem::path& caseFile,
                     const std::filesystem::path& copiedCaseFile);

/// `of 61 neighbours 40 behave, none of which it matches, and 12 of the 15 that fail it does`
std::string checkText(const PatternCheck& check);

/// The day so many days after one: `2027-03-01`.
std::string daysAfter(const std::string& day, int days);

} // namespace touchstone::triage
