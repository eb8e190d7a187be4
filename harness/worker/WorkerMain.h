#pragma once

#include "harness/worker/ForkServer.h"
#include "harness/worker/Profile.h"

#include <functional>
#include <string>

namespace touchstone::worker {

/// The variable of a worker's environment with which it compiles nothing before it forks its first child.
constexpr const char* kColdWorkers = "TOUCHSTONE_COLD_WORKERS";

/// What a family of backends needs of the process that runs it.
struct WorkerFamily {
  /// Makes the family's backends available; returns what is missing on this machine, for a person, or nothing.
  std::function<std::string(const Profile& profile)> start;
  ForkHooks hooks;
};

/// The whole life of a worker process: `[--prepare NAME,NAME] [--profile JSON] IN OUT`, two numbers of open
/// descriptors. Starts the family, prepares the named backends, greets, serves jobs until IN ends. Returns the exit status.
int runWorker(const WorkerFamily& family, int count, char** arguments);

/// The family that needs no Python.
WorkerFamily nativeFamily();

} // namespace touchstone::worker
