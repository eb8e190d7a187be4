#include "harness/EventLog.h"

#include "generators/Operators.h"
#include "harness/CommandLine.h"
#include "harness/FuzzOptionsJson.h"
#include "harness/Report.h"
#include "harness/worker/Machine.h"
#include "harness/worker/Progress.h"

#include <nlohmann/json.hpp>

#include <thread>

namespace touchstone::harness {

namespace {

constexpr double kSecondsBetweenCounts = 60;

void writeEvent(std::ofstream& file, double begin, nlohmann::json event) {
  if (file.is_open()) {
    event["seconds"] = wallSeconds() - begin;
    file << dumpJson(event) << std::endl; // flushed: the next moment may not come
  }
}

} // namespace

EventLog::EventLog(const std::string& path) : begin_(wallSeconds()), lastCounts_(begin_) {
  if (!path.empty()) {
    file_.open(path, std::ios::app);
    if (!file_) {
      throw WrongUse("The file of events `" + path + "` cannot be written.");
    }
  }
}

void EventLog::start(const FuzzOptions& options, uint64_t seed, uint64_t position) {
  writeEvent(file_, begin_,
             {{"event", "start"},
              {"torch", torchVersion()},
              {"catalogue", generators::kCatalogueVersion},
              {"cpu", processorName()},
              {"cores", std::thread::hardware_concurrency()},
              {"seed", seed},
              {"backends", options.backends},
              {"position", position},
              {"options", optionsJson(options)}});
}

void EventLog::finding(const Finding& finding) {
  Report report;
  report.findings = {finding};
  nlohmann::json event = reportJson(report)["findings"][0];
  event["event"] = "finding";
  writeEvent(file_, begin_, std::move(event));
}

void EventLog::unconfirmed(const std::string& foundBy, const BackendResult& result) {
  writeEvent(file_, begin_,
             {{"event", "unconfirmed"}, {"backend", result.backend}, {"found_by", foundBy}, {"outcome", result.text}});
}

void EventLog::counts(const Tally& tally, bool last) {
  if (!last && wallSeconds() - lastCounts_ < kSecondsBetweenCounts) {
    return;
  }
  lastCounts_ = wallSeconds();
  Report report;
  report.tally = tally;
  const nlohmann::json object = reportJson(report);
  writeEvent(file_, begin_,
             {{"event", last ? "end" : "counts"},
              {"cases", object["cases"]},
              {"calls_judged", object["calls_judged"]},
              {"backends", object["backends"]},
              {"allowed", object["allowed"]}});
}

} // namespace touchstone::harness
