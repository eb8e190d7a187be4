#include "harness/worker/WorkerMain.h"

#include "backends/debugging/NativeBackends.h"
#include "harness/worker/CaseJob.h"
#include "harness/worker/FillAllocator.h"
#include "harness/worker/Greeting.h"
#include "harness/worker/PreparedBackends.h"

#include <ATen/Parallel.h>

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <vector>

namespace touchstone::harness {

namespace {

struct WorkerArguments {
  std::vector<std::string> prepare;
  int input = -1;
  int output = -1;
};

bool readArguments(int count, char** arguments, WorkerArguments& result) {
  int position = 1;
  if (position + 1 < count && std::string(arguments[position]) == "--prepare") {
    std::istringstream names(arguments[position + 1]);
    for (std::string name; std::getline(names, name, ',');) {
      result.prepare.push_back(name);
    }
    position += 2;
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

std::string startFamily(const WorkerFamily& family, const WorkerArguments& options) {
  try {
    if (std::string trouble = family.start(); !trouble.empty()) {
      return trouble;
    }
    for (const std::string& name : options.prepare) {
      tellClient(options.output, preparationLine(name));
      preparedBackend(name);
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
  const std::string trouble = startFamily(family, options);
  if (!tellClient(options.output, greetingLine(trouble))) {
    return 5;
  }
  return trouble.empty() ? serveJobs(options.input, options.output, runCaseJob, family.hooks) : 3;
}

WorkerFamily nativeFamily() {
  return {[] {
            backends::registerNativeBackends();
            return std::string();
          },
          {}};
}

} // namespace touchstone::harness
