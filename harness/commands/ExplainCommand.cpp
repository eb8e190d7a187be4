#include "harness/commands/ExplainCommand.h"

#include "harness/commands/DumpCommand.h"
#include "harness/report/Report.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace touchstone::harness {

ExitStatus explainCase(const ExplainOptions& options) {
  const DumpOptions asked{
      .path = options.path, .backend = options.backend, .call = options.call, .limits = options.limits};
  const JobResult result = runStages(asked, true);
  const BackendResult& end = result.backends.at(0);
  nlohmann::json found =
      result.explanation.empty() ? nlohmann::json::object() : nlohmann::json::parse(result.explanation);
  if (options.json) {
    found.update({{"schema", 1},
                  {"torch", torchVersion()},
                  {"file", options.path},
                  {"call", options.call},
                  {"backend", options.backend},
                  {"outcome", end.outcome == graph::Outcome::kAgreed ? "" : end.text},
                  {"message", end.message},
                  {"warnings", end.warnings}});
    fmt::print("{}\n", dumpJson(found, 1));
  } else if (!found.empty()) {
    fmt::print("{}", found["text"].get<std::string>());
  }
  return tellEnd(options.path, end);
}

} // namespace touchstone::harness
