#pragma once

#include "harness/worker/ForkServer.h"
#include "harness/worker/Profile.h"

#include <functional>
#include <map>
#include <optional>
#include <string>

namespace touchstone::worker {

/// The variable of a worker's environment with which it compiles nothing before it forks its first child.
constexpr const char* kColdWorkers = "TOUCHSTONE_COLD_WORKERS";

/// What starts of workers have in common, done once in a process from which they are forked (`--warm`).
struct WarmStart {
  /// Returns what is missing on this machine, for a person, or nothing.
  std::function<std::string()> prepare;
  /// Why a worker with that environment cannot be forked after that; empty: it can.
  std::function<std::string(const std::map<std::string, std::string>& environment)> refusal;
  /// In a forked process, with the environment of whoever asked for it.
  std::function<void(const std::map<std::string, std::string>& environment)> takeEnvironment;
};

/// What a family of backends needs of the process that runs it.
struct WorkerFamily {
  /// Makes the family's backends available; returns what is missing on this machine, for a person, or nothing.
  std::function<std::string(const Profile& profile)> start;
  ForkHooks hooks;
  std::optional<WarmStart> warm; // none: a start of this family is nothing that is kept ready
};

/// The whole life of a worker process: `[--prepare NAME,NAME] [--profile JSON] IN OUT`, two numbers of open
/// descriptors. Starts the family, prepares the named backends, greets, serves jobs until IN ends. Returns the exit status.
/// Or `--warm SOCKET SECONDS`: what starts have in common is done, and such processes are forked for whoever asks at that socket
/// (warm::WarmWorker), until nobody has for so long.
int runWorker(const WorkerFamily& family, int count, char** arguments);

/// The family that needs no Python.
WorkerFamily nativeFamily();

} // namespace touchstone::worker
