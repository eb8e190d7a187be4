#include "harness/diff/DiffSide.h"

#include "backends/Registry.h"
#include "base/ExitStatus.h"
#include "harness/pool/ProfileFlags.h"
#include "harness/report/Report.h"

#include <fmt/format.h>

#include <unistd.h>

#include <filesystem>

namespace touchstone::harness {

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
    throw WrongUse(
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

Job DiffSide::job(const std::string& caseText, bool observe) const {
  Job job;
  job.caseText = caseText;
  job.backends = {backend};
  job.wantObservation = observe;
  return job;
}

std::vector<JobResult> DiffSide::alone(const std::string& caseText, int times) {
  std::vector<PoolBatch> batches;
  for (int i = 0; i < times; ++i) {
    batches.push_back({family, {limits, {job(caseText, /*observe=*/false)}}});
  }
  return pool->run(batches);
}

std::string DiffSide::runFlags() const {
  return " --backends " + shellWord(backend) + profileFlags;
}

std::string DiffSide::runProgram() const {
  return program.empty() ? programName() : shellWord(program);
}

DiffSide startSide(std::string label, const DiffSideOptions& options, int workers, const LimitOptions& limits,
                   const std::vector<CaseFile>& files) {
  DiffSide side;
  side.label = std::move(label);
  side.options = options;
  side.program = programOf(side.label, options.program);
  std::vector<std::string> names;
  if (isProfileFile(options.given)) {
    ProfileFlags flags;
    flags.file = options.given;
    side.profile = flags.read(names);
    side.profileFlags = flags.commandLine();
    if (names.empty()) {
      throw WrongUse(fmt::format(
          "--{}: the profile `{}` names no `backend`, so there is nothing to compare. See docs/profiles.md.",
          side.label, options.given));
    }
  } else {
    names = {options.given};
  }
  side.backend = names.at(0);
  side.info = backends::backendInfo(side.backend);
  side.family = side.info.family;
  side.limits = limitsFor({side.backend});
  PoolOptions pool{workers, {side.backend}, limitsOf(side.profile, limits), "", side.profile, side.program};
  for (const CaseFile& file : files) {
    pool.prepareFor(file.content);
  }
  side.pool = std::make_unique<WorkerPool>(pool);
  return side;
}

} // namespace touchstone::harness
