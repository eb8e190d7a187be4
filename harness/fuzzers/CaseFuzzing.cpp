#include "harness/fuzzers/CaseFuzzing.h"

#include "backends/Registry.h"
#include "backends/native/NativeBackends.h"
#include "harness/fuzzers/FeatureCounters.h"
#include "harness/worker/FillAllocator.h"
#include "harness/worker/Job.h"
#include "harness/worker/PreparedBackends.h"
#include "program/standalone/CaseFile.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <optional>
#include <sstream>
#include <string_view>

namespace touchstone::fuzzers {

namespace {

std::vector<std::string> namesIn(const std::string& list) {
  std::vector<std::string> names;
  std::istringstream text(list);
  for (std::string name; std::getline(text, name, ',');) {
    names.push_back(name);
  }
  return names;
}

[[noreturn]] void refuseToStart(const std::string& why) {
  std::fprintf(stderr, "%s\n", why.c_str());
  std::exit(2);
}

/// The value of `--NAME=VALUE`, which is taken out; nothing when it is not there.
std::optional<std::string> takeFlag(int* count, char** arguments, std::string_view name) {
  for (int i = 1; i < *count; ++i) {
    const std::string_view argument = arguments[i];
    if (argument.substr(0, name.size()) == name) {
      std::string value(argument.substr(name.size()));
      std::copy(arguments + i + 1, arguments + *count + 1, arguments + i); // and the null pointer at the end
      --*count;
      return value;
    }
  }
  return std::nullopt;
}

language::Outcome findingNamed(const std::string& name) {
  const std::optional<language::Outcome> outcome = language::outcomeFromName(name);
  if (!outcome.has_value() || !language::isFinding(*outcome)) {
    refuseToStart("--outcomes: `" + name + "` is no outcome that is a finding; docs/outcomes.md lists them.");
  }
  return *outcome;
}

bool endsProcess(language::Outcome outcome, const CaseFuzzingOptions& options) {
  const auto& wanted = options.outcomes;
  return wanted.empty() ? language::isFinding(outcome) || outcome == language::Outcome::kEagerCrashed
                        : std::find(wanted.begin(), wanted.end(), outcome) != wanted.end();
}

} // namespace

CaseFuzzingOptions takeOptions(int* count, char*** arguments, const std::string& backends) {
  CaseFuzzingOptions options;
  options.backends = namesIn(takeFlag(count, *arguments, "--backends=").value_or(backends));
  for (const std::string& name : namesIn(takeFlag(count, *arguments, "--outcomes=").value_or(""))) {
    options.outcomes.push_back(findingNamed(name));
  }
  return options;
}

void watchMemory() {
  worker::installFillAllocator();
  at::set_num_threads(1);
}

void prepareBackends(const CaseFuzzingOptions& options) {
  native::registerNativeBackends();
  try {
    for (const std::string& name : options.backends) {
      worker::preparedBackend(name);
    }
  } catch (const std::exception& error) {
    refuseToStart(error.what());
  }
}

void judgeInput(const RecipeInput& input, const CaseFuzzingOptions& options) {
  decoder::DecodeStatistics statistics;
  const language::Case theCase = decodeInput(input, &statistics, options.sameCalls);
  countFeatures(theCase, statistics);
  worker::Job job;
  job.backends = options.backends;
  worker::JobResult result;
  worker::judgeCase(job, theCase, result);
  countResult(result);
  for (const worker::BackendResult& backend : result.backends) {
    if (endsProcess(backend.outcome, options)) {
      std::fprintf(stderr, "%s\n%s: %s: %s\n", standalone::printCase(theCase).c_str(), backend.backend.c_str(),
                   backend.text.c_str(), backend.message.c_str());
      std::abort();
    }
  }
}

} // namespace touchstone::fuzzers
