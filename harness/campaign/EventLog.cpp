#include "harness/campaign/EventLog.h"

#include "base/ExitStatus.h"
#include "base/Machine.h"
#include "generators/catalogue/Operators.h"
#include "harness/campaign/CampaignOptions.h"
#include "harness/report/Report.h"
#include "harness/worker/Progress.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <thread>

namespace touchstone::campaign {

namespace {

constexpr double kSecondsBetweenCounts = 60;

} // namespace

EventLog::EventLog(const std::string& path) : path_(path), begin_(worker::wallSeconds()), lastCounts_(begin_) {
  if (!path.empty()) {
    file_.open(path, std::ios::app);
    if (!file_) {
      throw base::WrongUse("The file of events `" + path + "` cannot be written.");
    }
  }
}

void EventLog::write(nlohmann::json event) {
  if (!file_.is_open() || failed_) {
    return;
  }
  event["seconds"] = worker::wallSeconds() - begin_;
  file_ << report::dumpJson(event) << std::endl; // flushed: the next moment may not come
  if (!file_) {
    failed_ = true;
    fmt::print(stderr,
               "\nThe file of events `{}` can no longer be written: {}. What happens from here on is not in it.\n",
               path_, std::strerror(errno));
  }
}

void EventLog::start(const FuzzOptions& options, uint64_t seed, uint64_t position) {
  write({{"event", "start"},
         {"torch", report::torchVersion()},
         {"catalogue", catalogue::kCatalogueVersion},
         {"cpu", base::processorName()},
         {"cores", std::thread::hardware_concurrency()},
         {"seed", seed},
         {"backends", options.backends},
         {"position", position},
         {"options", optionsJson(options)}});
}

void EventLog::finding(const report::Finding& finding) {
  report::Report report;
  report.findings = {finding};
  nlohmann::json event = report::reportJson(report)["findings"][0];
  event["event"] = "finding";
  write(std::move(event));
}

void EventLog::replaced(const std::string& id, const std::string& by) {
  write({{"event", "replaced"}, {"id", id}, {"by", by}});
}

void EventLog::confirmed(const std::string& foundBy, const worker::Symptom& symptom) {
  write({{"event", "confirmed"},
         {"backend", symptom.backend},
         {"class", language::severityName(worker::severityOf(symptom))},
         {"symptom", symptom.text},
         {"found_by", foundBy}});
}

void EventLog::failing(const std::string& foundBy, const worker::BackendResult& result) {
  const worker::Symptom symptom = worker::symptomOf(result);
  write({{"event", "failing"},
         {"backend", symptom.backend},
         {"class", language::severityName(worker::severityOf(symptom))},
         {"symptom", symptom.text},
         {"message", result.message},
         {"found_by", foundBy}});
}

void EventLog::unconfirmed(const std::string& foundBy, const worker::BackendResult& result) {
  write({{"event", "unconfirmed"}, {"backend", result.backend}, {"found_by", foundBy}, {"outcome", result.text}});
}

void EventLog::counts(const report::Tally& tally, bool last) {
  if (!last && worker::wallSeconds() - lastCounts_ < kSecondsBetweenCounts) {
    return;
  }
  lastCounts_ = worker::wallSeconds();
  report::Report report;
  report.tally = tally;
  const nlohmann::json object = report::reportJson(report);
  write({{"event", last ? "end" : "counts"},
         {"cases", object["cases"]},
         {"calls_judged", object["calls_judged"]},
         {"backends", object["backends"]},
         {"allowed", object["allowed"]},
         {"known", object["known"]},
         {"suppressed", object["suppressed"]}});
}

} // namespace touchstone::campaign
