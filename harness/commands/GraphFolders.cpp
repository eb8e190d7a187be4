#include "harness/commands/GraphFolders.h"

#include "backends/graph_files/GraphFolder.h"
#include "harness/report/Report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <filesystem>

namespace touchstone::commands {

namespace {

bool isBad(const worker::GraphRerun& rerun) {
  return !rerun.raised.empty() || !rerun.difference.empty();
}

std::string verdictOf(const worker::GraphRerun& rerun) {
  if (!rerun.raised.empty()) {
    return "raises " + rerun.raised;
  }
  if (!rerun.isKept) {
    return "ran on inputs like those that it was compiled for: " + fmt::format("{}", fmt::join(rerun.outputs, ", "));
  }
  return rerun.difference.empty() ? "the same as when it was dumped" : "DIFFERS: " + rerun.difference;
}

nlohmann::json jsonOf(const std::string& folder, const std::string& error, const worker::RerunResult& result) {
  nlohmann::json graphs = nlohmann::json::array();
  for (const worker::GraphRerun& rerun : result.graphs) {
    graphs.push_back({{"part", rerun.part},
                      {"operators", rerun.operators},
                      {"kept", rerun.isKept},
                      {"raised", rerun.raised},
                      {"difference", rerun.difference},
                      {"outputs", rerun.outputs}});
  }
  return {{"folder", folder}, {"error", error}, {"graphs", std::move(graphs)}};
}

} // namespace

std::vector<std::string> graphFoldersAmong(const std::vector<std::string>& paths) {
  std::vector<std::string> folders;
  size_t given = 0;
  for (const std::string& path : paths) {
    const size_t before = folders.size();
    if (graph_files::GraphFolder::isOne(path)) {
      folders.push_back(path);
    } else if (std::filesystem::is_directory(path)) { // what `dump --graphs` was given
      for (const auto& entry : std::filesystem::directory_iterator(path)) {
        if (graph_files::GraphFolder::isOne(entry.path())) {
          folders.push_back(entry.path().string());
        }
      }
      std::sort(folders.begin() + static_cast<std::ptrdiff_t>(before), folders.end());
    }
    given += folders.size() > before ? 1 : 0;
  }
  if (!folders.empty() && given != paths.size()) {
    throw base::WrongUse(fmt::format(
        "`{}` is a folder of Graphs, and not all of what was given is: run them by themselves.", folders.front()));
  }
  return folders;
}

base::ExitStatus runGraphFolders(const std::vector<std::string>& folders, int workers, const pool::LimitOptions& limits,
                                 bool json) {
  const std::vector<std::string> backends{"eager"}; // what the worker is started for
  pool::WorkerPool pool({workers, backends, limits});
  std::vector<pool::PoolBatch> batches;
  for (size_t i = 0; i < folders.size(); ++i) {
    const worker::Job job{
        .id = i, .backends = backends, .task = worker::RerunTask{std::filesystem::absolute(folders[i]).string()}};
    batches.push_back({ir::Family::kNative, {pool::limitsFor(backends), {job}}});
  }
  const std::vector<worker::JobResult> results = pool.run(batches);
  bool isUnreadable = false, isDifferent = false;
  size_t graphs = 0;
  nlohmann::json list = nlohmann::json::array();
  for (size_t i = 0; i < folders.size(); ++i) {
    const worker::JobResult& result = results.at(i);
    const auto* answer = result.as<worker::RerunResult>();
    const worker::RerunResult rerun = answer != nullptr ? *answer : worker::RerunResult();
    const bool hasDied = result.error.empty() && !result.backends.empty();
    isUnreadable = isUnreadable || !result.error.empty();
    isDifferent = isDifferent || hasDied || std::any_of(rerun.graphs.begin(), rerun.graphs.end(), isBad);
    graphs += rerun.graphs.size();
    list.push_back(jsonOf(folders[i], result.error, rerun));
    if (!json) {
      fmt::print("{}\n", folders[i]);
      for (const worker::GraphRerun& each : rerun.graphs) {
        fmt::print("  {:10} {:4} operators  {}\n", each.part, each.operators, verdictOf(each));
      }
    }
    if (!result.error.empty() || hasDied) {
      fmt::print(stderr, "{}\n", hasDied ? folders[i] + ": " + result.backends.front().message : result.error);
    }
  }
  if (json) {
    report::printJson({{"schema", 1}, {"torch", report::torchVersion()}, {"folders", std::move(list)}});
  }
  return isUnreadable  ? base::ExitStatus::kWrongUse
         : isDifferent ? base::ExitStatus::kFindings
         : graphs == 0 ? base::ExitStatus::kTooLittleJudged
                       : base::ExitStatus::kNothingNew;
}

} // namespace touchstone::commands
