#include "harness/worker/WorkerMain.h"

#include "backends/native/NativeBackends.h"
#include "backends/shared_library/SharedBackend.h"
#include "harness/warm/StartServer.h"
#include "harness/worker/FillAllocator.h"
#include "harness/worker/Handshake.h"
#include "harness/worker/Job.h"
#include "harness/worker/PreparedBackends.h"

#include <ATen/Parallel.h>

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <map>
#include <optional>
#include <sstream>
#include <vector>

namespace touchstone::worker {

namespace {

struct WorkerArguments {
  std::vector<std::string> prepare;
  std::string profile; // as JSON; empty: none
  int input = -1;
  int output = -1;
};

bool readArguments(int count, char** arguments, WorkerArguments& result) {
  int position = 1;
  for (; position + 1 < count; position += 2) {
    const std::string name = arguments[position];
    if (name == "--prepare") {
      std::istringstream names(arguments[position + 1]);
      for (std::string each; std::getline(names, each, ',');) {
        result.prepare.push_back(each);
      }
    } else if (name == "--profile") {
      result.profile = arguments[position + 1];
    } else {
      break;
    }
  }
  if (count - position != 2) {
    return false;
  }
  result.input = std::atoi(arguments[position]);
  result.output = std::atoi(arguments[position + 1]);
  return result.input > 2 && result.output > 2;
}

bool tellClient(int output, const std::string& text) {
  const std::string line = text + "\n";
  return write(output, line.data(), line.size()) == static_cast<ssize_t>(line.size());
}

std::string startFamily(const WorkerFamily& family, const WorkerArguments& options, Profile& profile) {
  try {
    if (!options.profile.empty()) {
      profile = readProfile(options.profile, "the profile");
    }
    if (std::string trouble = family.start(profile); !trouble.empty()) {
      return trouble;
    }
    declareBackend(profile);
    for (const std::string& name : options.prepare) {
      tellClient(options.output, preparationLine(name));
      preparedBackend(name);
      for (const std::string& trouble : takeStartTroubles()) {
        tellClient(options.output, startTroubleLine(trouble));
      }
    }
    return "";
  } catch (const std::exception& error) {
    return error.what();
  }
}

/// In the processes that are forked for others; nothing in the one that forks them, when it is over.
std::optional<WorkerArguments> startedAhead(const WorkerFamily& family, warm::ServerOptions options) {
  if (const std::string trouble = family.warm->prepare(); !trouble.empty()) {
    std::fprintf(stderr, "%s\n", trouble.c_str());
    std::exit(3);
  }
  options.fork = [&hooks = family.hooks] {
    hooks.before();
    const pid_t made = ::fork();
    (made == 0 ? hooks.inChild : hooks.inParent)();
    return made;
  };
  options.refusal = [&family](const warm::StartRequest& request) {
    const auto found = std::find(request.arguments.begin(), request.arguments.end(), "--profile");
    const bool isOnDevice = found != request.arguments.end() && found + 1 != request.arguments.end() &&
                            readProfile(*(found + 1), "the profile").isOnDevice();
    const bool isCold = isOnDevice || request.environment.contains(kColdWorkers);
    return isCold ? "it must not compile before it forks" : family.warm->refusal(request.environment);
  };
  std::optional<warm::Started> started;
  try {
    started = warm::serveStarts(options);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    std::exit(3);
  }
  if (!started) {
    return std::nullopt;
  }
  family.warm->takeEnvironment(started->request.environment);
  std::vector<std::string> texts = {"worker"};
  texts.insert(texts.end(), started->request.arguments.begin(), started->request.arguments.end());
  texts.push_back(std::to_string(started->input));
  texts.push_back(std::to_string(started->output));
  std::vector<char*> pointers;
  std::transform(texts.begin(), texts.end(), std::back_inserter(pointers),
                 [](std::string& text) { return text.data(); });
  WorkerArguments asked;
  if (!readArguments(static_cast<int>(pointers.size()), pointers.data(), asked)) {
    std::exit(2);
  }
  return asked;
}

} // namespace

int runWorker(const WorkerFamily& family, int count, char** arguments) {
  WorkerArguments options;
  const bool keepsReady = family.warm.has_value() && count == 4 && arguments[1] == std::string("--warm");
  if (!keepsReady && !readArguments(count, arguments, options)) {
    std::fputs("This program is a part of `touchstone` and is started by it. See `touchstone --help`.\n", stderr);
    return 2;
  }
  const std::map<std::string, std::string> environment = warm::environmentOfProcess();
  installFillAllocator(); // before the first tensor
  at::set_num_threads(1);
  native::registerNativeBackends();
  if (keepsReady) {
    std::optional<WorkerArguments> asked = startedAhead(family, {arguments[2], std::atoi(arguments[3]), environment});
    if (!asked) {
      return 0;
    }
    options = std::move(*asked);
  }
  Profile profile;
  const std::string trouble = startFamily(family, options, profile);
  if (!tellClient(options.output, handshakeLine(trouble))) {
    return 5;
  }
  const JobRunner run = [&](const Job& job) { return runCaseJob(job, profile); };
  return trouble.empty() ? serveJobs(options.input, options.output, run, family.hooks) : 3;
}

WorkerFamily nativeFamily() {
  return {[](const Profile& profile) {
            for (const std::string& path : profile.load) {
              shared_library::loadSharedBackend(path);
            }
            return std::string();
          },
          {}};
}

} // namespace touchstone::worker
