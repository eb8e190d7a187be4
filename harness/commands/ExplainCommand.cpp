#include "harness/commands/ExplainCommand.h"

#include "harness/commands/DumpCommand.h"
#include "harness/report/Report.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace touchstone::commands {

base::ExitStatus explainCase(const ExplainOptions& options) {
  const DumpOptions asked{
      .path = options.path, .backend = options.backend, .call = options.call, .limits = options.limits};
  const worker::JobResult result = runStages(asked, worker::ExplainTask{options.call});
  const worker::BackendResult& end = result.backends.at(0);
  const auto* answer = result.as<worker::ExplainResult>();
  const bool isExplained = answer != nullptr && !answer->explanation.empty();
  nlohmann::json found = isExplained ? nlohmann::json::parse(answer->explanation) : nlohmann::json::object();
  if (options.json) {
    found.update({{"schema", 1},
                  {"torch", report::torchVersion()},
                  {"file", options.path},
                  {"call", options.call},
                  {"backend", options.backend},
                  {"outcome", end.outcome == language::Outcome::kAgreed ? "" : end.text},
                  {"message", end.message},
                  {"warnings", end.warnings}});
    fmt::print("{}\n", report::dumpJson(found, 1));
  } else if (!found.empty()) {
    fmt::print("{}", found["text"].get<std::string>());
  }
  return tellEnd(options.path, end);
}

} // namespace touchstone::commands
