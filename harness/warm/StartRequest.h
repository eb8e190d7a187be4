#pragma once

#include <sys/types.h>

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace touchstone::warm {

/// What names the socket of a process that keeps workers' starts ready (`touchstone warm`).
constexpr const char* kSocketVariable = "TOUCHSTONE_WARM";

/// A worker that is to be forked from a process that has imported PyTorch: what it takes over from whoever asks.
struct StartRequest {
  std::string executable; // fileIdentity() of the worker's
  std::vector<std::string> arguments; // of the worker, behind the executable and before the descriptors
  std::map<std::string, std::string> environment;
  std::string folder;
  int niceness = 0;
  std::vector<uint64_t> limits; // of resources, as limitsOfProcess()
};

/// Of the asking process: where jobs are read and results written, and its standard files.
using StartFiles = std::array<int, 5>;

/// Path, inode, size and time of a file: another build is another file. Empty: it is not there.
std::string fileIdentity(const std::string& path);
std::map<std::string, std::string> environmentOfProcess();
std::vector<uint64_t> limitsOfProcess();
/// This process's folder, niceness and limits, and its environment with `more`.
StartRequest requestOfProcess(const std::string& executable, std::vector<std::string> arguments,
                              const std::map<std::string, std::string>& more);

/// Over a connected socket. False: the other side is gone.
bool sendRequest(int socket, const StartRequest& request, const StartFiles& files);
/// None: it is no whole request.
std::optional<std::pair<StartRequest, StartFiles>> receiveRequest(int socket);

/// What the process that keeps starts ready says: when it takes a request, and when it has forked; anything else is why it has not.
constexpr const char* kReady = "ready";
constexpr const char* kStarted = "started";

bool isOfThisUser(int connection);
/// A socket bound to (`listens`) or connected to a path; negative: it cannot be, and errno says why.
int openSocket(const std::string& path, bool listens);

} // namespace touchstone::warm
