#include "harness/commands/ShownLogs.h"

#include "backends/Registry.h"
#include "base/ExitStatus.h"
#include "harness/worker/Job.h"
#include "program/standalone/CaseFile.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <sstream>

namespace touchstone::commands {

options::Option logOption(std::vector<std::string>& names) {
  options::Traits traits = options::oneOf(worker::logNames());
  traits.isSplit = true;
  return {
      "--log", &names,
      "Make the calls once more, and print what compiled autograd captures: `compiled_autograd`, each Graph with devices; "
      "`verbose`, also why the cache missed, node by node (native backends; docs/compiled_autograd.md)",
      traits};
}

void checkLoggable(const std::vector<std::string>& backends) {
  for (const std::string& name : backends) {
    if (backends::backendInfo(name).family != ir::Family::kNative) {
      throw base::WrongUse(fmt::format(
          "--log shows the compiled autograd of native backends; that of `{}` is the installed PyTorch's, which logs with "
          "TORCH_LOGS=compiled_autograd_verbose.",
          name));
    }
  }
}

ShownLog logOf(const pool::CaseFile& file, const std::string& backend, const std::vector<std::string>& names,
               pool::WorkerPool& pool) {
  worker::Job job;
  job.source = worker::PrintedCase{standalone::printCase(file.content)};
  job.backends = {backend};
  job.task = worker::LogTask{.isVerbose = std::find(names.begin(), names.end(), worker::kVerboseLog) != names.end()};
  const worker::JobResult result = pool::runnerOf(pool, ir::Family::kNative)(job);
  if (const auto* log = result.as<worker::LogResult>()) {
    return {*log, ""};
  }
  const worker::BackendResult* end = result.under(backend);
  return {{}, end != nullptr ? end->text + (end->message.empty() ? "" : ": " + end->message) : result.error};
}

std::string logText(const ShownLog& log, size_t indent) {
  std::string text;
  const auto add = [&](size_t deeper, const std::string& line) {
    text += std::string(indent + deeper, ' ') + line + "\n";
  };
  if (!log.failure.empty()) {
    add(0, "log: none, " + log.failure);
  }
  for (const worker::LoggedText& each : log.result.texts) {
    std::istringstream lines(each.text);
    std::string line;
    std::getline(lines, line);
    add(0, fmt::format("call {}, {}: {}", each.call, each.step, line));
    while (std::getline(lines, line)) {
      add(2, line);
    }
  }
  for (size_t call = 0; call < log.result.raised.size(); ++call) {
    if (!log.result.raised[call].empty()) {
      add(0, fmt::format("call {} raised {}", call, log.result.raised[call]));
    }
  }
  if (log.failure.empty() && log.result.texts.empty()) {
    add(0, "log: no backward was captured; with --compiled-autograd each runs under compiled autograd");
  }
  return text;
}

nlohmann::json logJson(const ShownLog& log) {
  nlohmann::json texts = nlohmann::json::array();
  for (const worker::LoggedText& each : log.result.texts) {
    texts.push_back({{"call", each.call}, {"step", each.step}, {"text", each.text}});
  }
  return {{"texts", std::move(texts)}, {"raised", log.result.raised}, {"failure", log.failure}};
}

} // namespace touchstone::commands
