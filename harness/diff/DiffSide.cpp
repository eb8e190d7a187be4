#include "harness/diff/DiffSide.h"

#include "backends/Registry.h"
#include "base/ExitStatus.h"
#include "harness/pool/ProfileFlags.h"
#include "harness/report/Report.h"

#include <fmt/format.h>

#include <unistd.h>

#include <filesystem>

namespace touchstone::diff {

namespace {

bool isProfileFile(const std::string& given) {
  return given.ends_with(".json") || given.find('/') != std::string::npos;
}

/// The executable that `given` names; empty: this one.
std::string programOf(const std::string& label, const std::string& given) {
  if (given.empty()) {
    return "";
  }
  std::filesystem::path program = given;
  if (std::filesystem::is_directory(program)) {
    program = program / "harness" / "touchstone";
  }
  if (!std::filesystem::is_regular_file(program) || access(program.c_str(), X_OK) != 0) {
    throw base::WrongUse(
        fmt::format("--{}-program: there is no program `{}`. Name a build folder, or the `harness/touchstone` in it; "
                    "`TOUCHSTONE_TORCH=/path/to/python ./touchstone build` makes one for another PyTorch.",
                    label, program.string()));
  }
  return std::filesystem::absolute(program);
}

} // namespace

std::string DiffSide::name() const {
  std::string text = backend;
  if (isProfileFile(options.given)) {
    text += " under " + options.given;
  }
  if (!options.program.empty()) {
    text += ", build " + options.program;
  }
  return text;
}

worker::Job DiffSide::job(const std::string& caseText, bool observe) const {
  return {.source = worker::PrintedCase{caseText},
          .backends = {backend},
          .task = worker::JudgeTask{.wantObservation = observe}};
}

std::vector<worker::JobResult> DiffSide::alone(const std::string& caseText, int times) {
  std::vector<pool::PoolBatch> batches;
  for (int i = 0; i < times; ++i) {
    batches.push_back({family, {limits, {job(caseText, /*observe=*/false)}}});
  }
  return pool->run(batches);
}

std::string DiffSide::runFlags() const {
  return " --backends " + pool::shellWord(backend) + profileFlags;
}

std::string DiffSide::runProgram() const {
  return program.empty() ? report::programName() : pool::shellWord(program);
}

DiffSide startSide(std::string label, const DiffSideOptions& options, int workers, const pool::LimitOptions& limits,
                   const std::vector<pool::CaseFile>& files) {
  DiffSide side;
  side.label = std::move(label);
  side.options = options;
  side.program = programOf(side.label, options.program);
  std::vector<std::string> names;
  if (isProfileFile(options.given)) {
    pool::ProfileFlags flags;
    flags.file = options.given;
    side.profile = flags.read(names);
    side.profileFlags = flags.commandLine();
    if (names.empty()) {
      throw base::WrongUse(fmt::format(
          "--{}: the profile `{}` names no `backend`, so there is nothing to compare. See docs/profiles.md.",
          side.label, options.given));
    }
  } else {
    names = {options.given};
  }
  side.backend = names.at(0);
  side.info = backends::backendInfo(side.backend);
  side.family = side.info.family;
  side.limits = pool::limitsFor({side.backend});
  pool::PoolOptions pool{workers, {side.backend}, pool::limitsOf(side.profile, limits), "", side.profile, side.program};
  for (const pool::CaseFile& file : files) {
    pool.prepareFor(file.content);
  }
  side.pool = std::make_unique<pool::WorkerPool>(pool);
  return side;
}

} // namespace touchstone::diff
