#include "harness/baseline/KnownFindings.h"

#include "harness/store/FindingStore.h"
#include "program/analysis/ProgramSignature.h"

#include <fnmatch.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <utility>

namespace touchstone::baseline {

namespace {

/// `strides` of `Differs/strides/output`, else the outcome: `InternalError`.
std::string oracleOf(const worker::Symptom& symptom) {
  const std::string kDiffers = "Differs/";
  const bool differs = symptom.text.starts_with(kDiffers);
  const std::string rest = differs ? symptom.text.substr(kDiffers.size()) : symptom.text;
  return rest.substr(0, rest.find('/'));
}

} // namespace

bool KnownEntry::isAbout(const std::string& backendName) const {
  return backend == backendName || fnmatch(backend.c_str(), backendName.c_str(), 0) == 0;
}

bool KnownEntry::isAboutSymptom(const worker::Symptom& symptom) const {
  return oracles.empty() || std::find(oracles.begin(), oracles.end(), oracleOf(symptom)) != oracles.end();
}

KnownFindings::KnownFindings(std::string file, std::vector<KnownEntry> entries, std::string today)
    : file_(std::move(file)), entries_(std::move(entries)), today_(std::move(today)) {}

bool KnownFindings::isExpired(const KnownEntry& entry) const {
  return !entry.expires.empty() && entry.expires < today_; // dates of this form are in the order of their letters
}

std::vector<KnownEntry> KnownFindings::expired() const {
  std::vector<KnownEntry> result;
  std::copy_if(entries_.begin(), entries_.end(), std::back_inserter(result),
               [&](const KnownEntry& entry) { return isExpired(entry); });
  return result;
}

template <class Fits>
const KnownEntry* KnownFindings::first(Fits fits) const {
  const auto found = std::find_if(entries_.begin(), entries_.end(),
                                  [&](const KnownEntry& entry) { return fits(entry) && !isExpired(entry); });
  return found != entries_.end() ? &*found : nullptr;
}

const KnownEntry* KnownFindings::bySymptom(const worker::Symptom& symptom) const {
  return first([&](const KnownEntry& entry) {
    return !entry.symptom.empty() && entry.symptom == symptom.line() && entry.isAbout(symptom.backend);
  });
}

const KnownEntry* KnownFindings::byCluster(const std::string& id, const std::string& backend) const {
  return first(
      [&](const KnownEntry& entry) { return !entry.cluster.empty() && entry.cluster == id && entry.isAbout(backend); });
}

const KnownEntry* KnownFindings::byPattern(const analysis::FlatProgram& program, const worker::Symptom& symptom) const {
  return first([&](const KnownEntry& entry) { return suppresses(entry, program, symptom); });
}

std::vector<const KnownEntry*> KnownFindings::allByPattern(const analysis::FlatProgram& program,
                                                           const worker::Symptom& symptom) const {
  std::vector<const KnownEntry*> result;
  for (const KnownEntry& entry : entries_) {
    if (suppresses(entry, program, symptom)) {
      result.push_back(&entry);
    }
  }
  return result;
}

bool KnownFindings::suppresses(const KnownEntry& entry, const analysis::FlatProgram& program,
                               const worker::Symptom& symptom) const {
  return entry.pattern.has_value() && entry.isAbout(symptom.backend) && entry.isAboutSymptom(symptom) &&
         !isExpired(entry) && suppressions::matches(*entry.pattern, program);
}

const KnownEntry* KnownFindings::find(const language::Case& theCase, const worker::Symptom& symptom) const {
  if (entries_.empty()) {
    return nullptr;
  }
  if (const KnownEntry* entry = bySymptom(symptom)) {
    return entry;
  }
  if (const KnownEntry* entry = byPattern(analysis::flatten(theCase), symptom)) {
    return entry;
  }
  return byCluster(store::clusterId(symptom, analysis::signatureOf(theCase)), symptom.backend);
}

std::vector<KnownEntry> KnownFindings::skipping() const {
  std::vector<KnownEntry> result;
  std::copy_if(entries_.begin(), entries_.end(), std::back_inserter(result),
               [&](const KnownEntry& entry) { return entry.skips && entry.pattern.has_value() && !isExpired(entry); });
  return result;
}

std::string todayUtc() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[16];
  std::strftime(text, sizeof text, "%Y-%m-%d", &parts);
  return text;
}

bool isDate(const std::string& text) {
  int year = 0;
  unsigned month = 0, day = 0;
  int end = 0;
  if (text.size() != 10 || std::sscanf(text.c_str(), "%4d-%2u-%2u%n", &year, &month, &day, &end) != 3 || end != 10) {
    return false;
  }
  return std::chrono::year_month_day(std::chrono::year(year), std::chrono::month(month), std::chrono::day(day)).ok();
}

options::Traits isDay() {
  return {[](const std::string& text) {
            return isDate(text) ? std::string() : "`" + text + "` is no date; write one as 2027-03-01";
          },
          "DATE"};
}

options::Option todayOption(std::string& today) {
  return {"--today", &today, "Which known entries have expired, as if it were this day [the clock's, in UTC]", isDay()};
}

bool holdsAnother(const std::vector<const KnownEntry*>& entries, const std::vector<const KnownEntry*>& before) {
  return std::any_of(entries.begin(), entries.end(), [&](const KnownEntry* each) {
    return std::find(before.begin(), before.end(), each) == before.end();
  });
}

IsKnown suppressedOtherwiseIn(const KnownFindings& known, const language::Case& start, const worker::Symptom& symptom) {
  const std::vector<const KnownEntry*> ofStart = known.allByPattern(analysis::flatten(start), symptom);
  return [&known, ofStart](const language::Case& theCase, const worker::Symptom& shown) {
    return holdsAnother(known.allByPattern(analysis::flatten(theCase), shown), ofStart);
  };
}

} // namespace touchstone::baseline
