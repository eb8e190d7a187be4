#pragma once

#include "harness/worker/ForkServer.h"
#include "harness/worker/Profile.h"

#include <functional>
#include <map>
#include <string>

namespace touchstone::worker {

/// The variable of a worker's environment with which it compiles nothing before it forks its first child.
constexpr const char* kColdWorkers = "TOUCHSTONE_COLD_WORKERS";

/// What a family of backends needs of the process that runs it.
struct WorkerFamily {
  /// Makes the family's backends available; returns what is missing on this machine, for a person, or nothing.
  std::function<std::string(const Profile& profile)> start;
  ForkHooks hooks;
  /// What starts of this family have in common, for whom keeps it ready (`--warm`); returns what is missing, or nothing.
  std::function<std::string()> ahead = [] { return std::string(); };
  /// Why a worker with that environment cannot be forked after that; empty: it can.
  std::function<std::string(const std::map<std::string, std::string>& environment)> refusalAhead;
  /// In a process that was forked after that, with the environment of whoever asked for it.
  std::function<void(const std::map<std::string, std::string>& environment)> takeEnvironment;
};

/// The whole life of a worker process: `[--prepare NAME,NAME] [--profile JSON] IN OUT`, two numbers of open
/// descriptors. Starts the family, prepares the named backends, greets, serves jobs until IN ends. Returns the exit status.
/// Or `--warm SOCKET SECONDS`: what starts have in common is done, and such processes are forked for whoever asks at that socket
/// (warm::WarmWorker), until nobody has for so long.
int runWorker(const WorkerFamily& family, int count, char** arguments);

/// The family that needs no Python.
WorkerFamily nativeFamily();

} // namespace touchstone::worker
