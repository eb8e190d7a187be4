#include "harness/worker/WorkerMain.h"

#include "backends/native/NativeBackends.h"
#include "backends/shared_library/SharedBackend.h"
#include "harness/worker/FillAllocator.h"
#include "harness/worker/Handshake.h"
#include "harness/worker/Job.h"
#include "harness/worker/PreparedBackends.h"

#include <ATen/Parallel.h>

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
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

} // namespace

int runWorker(const WorkerFamily& family, int count, char** arguments) {
  WorkerArguments options;
  if (!readArguments(count, arguments, options)) {
    std::fputs("This program is a part of `touchstone` and is started by it. See `touchstone --help`.\n", stderr);
    return 2;
  }
  installFillAllocator(); // before the first tensor
  at::set_num_threads(1);
  native::registerNativeBackends();
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
