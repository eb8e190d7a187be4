#include "harness/commands/Commands.h"

#include "harness/commands/DumpCommand.h"
#include "harness/pool/ProfileFlags.h"
#include "harness/pool/WorkerPool.h"
#include "harness/report/Report.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <memory>
#include <string>

namespace touchstone::commands {

namespace {

/// `touchstone explain`: graphs, breaks with their reasons, operations, guards, recompiles and compile times of a Case.
struct ExplainOptions {
  std::string path;
  std::string backend = "aot_eager";
  int call = 0; // position in CALLS
  std::string dynamic; // in place of what the Case says; see worker::setDynamic()
  pool::LimitOptions limits;
  bool json = false;
};

base::ExitStatus explainCase(const ExplainOptions& options) {
  const DumpOptions asked{
      .path = options.path, .backend = options.backend, .call = options.call, .limits = options.limits};
  const worker::JobResult result = runStages(asked, worker::ExplainTask{options.call, options.dynamic});
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
    report::printJson(found);
  } else if (!found.empty()) {
    fmt::print("{}", found["text"].get<std::string>());
  }
  return tellEnd(options.path, end);
}

} // namespace

options::Command explainCommand() {
  const auto asked = std::make_shared<ExplainOptions>();
  return {
      .options = {options::caseFile(asked->path),
                  {"--call", &asked->call, "Which entry of CALLS, counted from 0; those before it run eagerly",
                   options::nonNegativeNumber().shown()},
                  {"--backend,-b", &asked->backend,
                   "The compiler of the graphs; one of the installed PyTorch tells less", options::shown()},
                  pool::dynamicOption(asked->dynamic),
                  pool::limitOptions(asked->limits),
                  options::jsonFlag(asked->json)},
      .footer =
          "Graphs, breaks, guards and times are those of the one call, captured anew; the recompiles are those of all\n"
          "calls with one compiled program. A line of a user stack is followed by what stands there, outermost first.\n"
          "Of a backend of the installed PyTorch operations are counted, not listed, and breaks have no stacks.\n"
          "With symbols, Graphs of attempts that were given up are told apart, with the reasons.\n"
          "\nExample:\n"
          "  touchstone explain corpus/features/graph_break.py",
      .run = [asked](const options::Given&) { return explainCase(*asked); },
  };
}

} // namespace touchstone::commands
