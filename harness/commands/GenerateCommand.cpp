#include "harness/commands/Commands.h"

#include "base/AtomicFile.h"
#include "generators/decoder/Decoder.h"
#include "harness/pool/GeneratedJobs.h"
#include "harness/pool/ProfileFlags.h"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <memory>

namespace touchstone::commands {

namespace {

/// `touchstone generate`: Cases of a campaign as files `case-INDEX.py` in a folder; "-": to standard output.
struct GenerateOptions {
  uint64_t seed = 0, start = 0, cases = 1;
  int calls = 2; // as of `fuzz`
  std::vector<std::string> parts = {};
  worker::Profile profile = {};
  std::string output = "-";
};

base::ExitStatus generateCases(const GenerateOptions& options) {
  if (options.output != "-") {
    base::tryToWriteInto(options.output);
  }
  base::ExitStatus status = base::ExitStatus::kNothingNew;
  for (const worker::JobResult& result : pool::generateJobs({.seed = options.seed,
                                         .start = options.start,
                                         .cases = options.cases,
                                         .wantCase = true,
                                         .sameCalls = options.calls,
                                         .parts = options.parts,
                                         .profile = options.profile})) {
    if (!result.error.empty()) {
      fmt::print(stderr, "Case {} cannot be generated: {}\n", result.id, result.error);
      status = base::ExitStatus::kFailed;
    } else if (options.output == "-") {
      fmt::print("{}", result.caseText);
    } else {
      base::writeFile(std::filesystem::path(options.output) / fmt::format("case-{}.py", result.id), result.caseText);
    }
  }
  return status;
}

} // namespace

options::Command generateCommand() {
  const auto asked = std::make_shared<GenerateOptions>();
  const auto profile = std::make_shared<pool::ProfileFlags>();
  return {
      .options = {options::seed(&asked->seed, "Seed of the campaign"),
                  options::start(asked->start),
                  {"--cases", &asked->cases, "How many", options::shown()},
                  {"--out,-o", &asked->output, "Folder; `-`: standard output", options::shown()},
                  {"--calls", &asked->calls, "As of `touchstone fuzz`",
                   options::between(2, decoder::kMaximumSameCalls).shown()},
                  pool::partOption(asked->parts, "As of `touchstone fuzz`"),
                  pool::profileOptions(*profile, pool::ProfileScope::kEverything)},
      .footer =
          "These are the Cases of `touchstone fuzz` with the same --seed, --calls, --part and profile.\n\nExample:\n"
          "  touchstone generate --seed 7 --cases 20 --calls 22 --out cases",
      .run =
          [asked, profile](const options::Given&) {
            asked->profile = profile->read();
            return generateCases(*asked);
          },
  };
}

} // namespace touchstone::commands
