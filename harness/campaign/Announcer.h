#pragma once

#include "harness/campaign/EventLog.h"
#include "harness/report/ProgressDisplay.h"

#include <string>
#include <utility>

namespace touchstone::campaign {

/// Tells of a campaign as it goes: a person on standard error, whoever reads them by events.
class Announcer {
 public:
  Announcer(EventLog& events, const report::ProgressDisplay::Goal& goal) : events_(events), display_(goal) {}

  /// What takes time now; empty: nothing out of the way.
  void doing(std::string activity) { activity_ = std::move(activity); }
  void progress(const report::Tally& tally, size_t findings);
  void say(const std::string& line) { display_.say(line); }
  /// What comes next is printed by somebody else.
  void end() { display_.clear(); }
  void finding(const report::Finding& finding);
  /// It recurs, and waits to be reduced.
  void confirmed(const std::string& foundBy, const worker::Symptom& symptom);
  void failing(const std::string& foundBy, const worker::BackendResult& result) { events_.failing(foundBy, result); }
  void unconfirmed(const std::string& foundBy, const worker::BackendResult& result) {
    events_.unconfirmed(foundBy, result);
  }
  /// A finding that had not been reduced to its end is another one now.
  void replaced(const std::string& id, const std::string& by);

 private:
  EventLog& events_;
  report::ProgressDisplay display_;
  std::string activity_;
};

} // namespace touchstone::campaign
