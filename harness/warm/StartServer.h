#pragma once

#include "harness/warm/StartRequest.h"

#include <functional>

namespace touchstone::warm {

/// A forked process: what it was asked for, and the descriptors of its jobs and results.
struct Started {
  StartRequest request;
  int input = -1, output = -1;
};

struct ServerOptions {
  std::string socket; // a path, where no file is yet
  int idleSeconds = 600; // it ends when for so long nobody has asked
  std::map<std::string, std::string> environment; // as it was before this process changed it
  std::function<pid_t()> fork;
  /// Why the worker must start by itself; empty: it need not.
  std::function<std::string(const StartRequest& request)> refusal;
};

/// Why a worker for this request cannot be forked from a process with that environment: a variable that may be read while
/// PyTorch is imported has another value. Empty: none has.
std::string environmentRefusal(const std::map<std::string, std::string>& own,
                               const std::map<std::string, std::string>& asked);

/// Forks a process for each request, which ends when the connection does. Returns in these, with the environment, folder,
/// standard files and niceness of whoever asked; and in this process, with nothing, when nobody has asked for long.
/// Throws std::runtime_error when the socket cannot be made.
std::optional<Started> serveStarts(const ServerOptions& options);

} // namespace touchstone::warm
