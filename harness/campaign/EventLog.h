#pragma once

#include "harness/campaign/CampaignOptions.h"
#include "harness/report/Finding.h"
#include "harness/report/Tally.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

namespace touchstone::campaign {

/// JSON lines as things happen, each with the seconds since the start: a killed job leaves what it had. docs/json.md
/// describes the lines.
class EventLog {
 public:
  /// An empty path: nothing is written. Throws WrongUse when the file cannot be written.
  explicit EventLog(const std::string& path);

  /// `position`: Cases that are done already, of a campaign that goes on.
  void start(const FuzzOptions& options, uint64_t seed, uint64_t position);
  void finding(const report::Finding& finding);
  /// A finding that had not been reduced to its end is another one now.
  void replaced(const std::string& id, const std::string& by);
  /// It recurs, and waits to be reduced; at most one for each symptom.
  void confirmed(const std::string& foundBy, const worker::Symptom& symptom);
  /// Of a campaign that does nothing about it.
  void failing(const std::string& foundBy, const worker::BackendResult& result);
  void unconfirmed(const std::string& foundBy, const worker::BackendResult& result);
  /// At most once a minute, unless `last`.
  void counts(const report::Tally& tally, bool last = false);
  /// A line could not be written, which was told on stderr at once; none was written behind it.
  bool failed() const { return failed_; }

 private:
  void write(nlohmann::json event);

  const std::string path_;
  std::ofstream file_;
  bool failed_ = false;
  double begin_;
  double lastCounts_;
};

} // namespace touchstone::campaign
