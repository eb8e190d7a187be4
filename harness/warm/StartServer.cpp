#include "harness/warm/StartServer.h"

#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace touchstone::warm {

namespace {

using namespace std::string_view_literals;
using Clock = std::chrono::steady_clock;

constexpr int kTickMilliseconds = 50;

/// Variables that say nothing to PyTorch's import, or are read again later.
bool mayDiffer(std::string_view name) {
  constexpr std::string_view names[] = {"PWD",
                                        "OLDPWD",
                                        "SHLVL",
                                        "_",
                                        "COLUMNS",
                                        "LINES",
                                        "TERM",
                                        "TMPDIR",
                                        "PYTHONDONTWRITEBYTECODE",
                                        "PYTHONPATH",
                                        "TORCHINDUCTOR_CACHE_DIR",
                                        "NO_COLOR",
                                        "TOUCHSTONE_WARM"};
  const bool isOwn = name.starts_with("TOUCHSTONE_"sv) && name != "TOUCHSTONE_PYTHON"sv;
  return isOwn || name.starts_with("CTEST_"sv) || name.starts_with("GTEST_"sv) ||
         std::ranges::find(names, name) != std::end(names);
}

void answer(int connection, const std::string& text) {
  const std::string line = text + "\n";
  (void)!send(connection, line.data(), line.size(), MSG_NOSIGNAL);
}

bool hasHungUp(int connection) {
  pollfd waited{connection, POLLRDHUP, 0};
  return poll(&waited, 1, 0) > 0 && (waited.revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0;
}

class Server {
 public:
  explicit Server(const ServerOptions& options) : options_(options), listener_(openSocket(options.socket, true)) {
    if (listener_ < 0) {
      throw std::runtime_error("The socket `" + options.socket + "` cannot be made: " + std::strerror(errno));
    }
    identity_ = fileIdentity("/proc/self/exe");
    own_ = fileIdentity(options.socket);
  }

  std::optional<Started> serve() {
    Clock::time_point lastUse = Clock::now();
    while (true) {
      std::vector<pollfd> waited{{listener_, POLLIN, 0}};
      for (const Client& client : clients_) {
        waited.push_back({client.connection, POLLIN, 0});
      }
      poll(waited.data(), waited.size(), kTickMilliseconds);
      for (size_t i = clients_.size(); i-- > 0;) {
        if (waited[i + 1].revents != 0 || hasEnded(clients_[i])) {
          endWorkerOf(clients_[i]);
          clients_.erase(clients_.begin() + static_cast<std::ptrdiff_t>(i));
        }
      }
      if (waited[0].revents != 0) {
        lastUse = Clock::now();
        if (std::optional<Started> started = takeRequest()) {
          return started;
        }
      }
      if (!clients_.empty()) {
        lastUse = Clock::now();
      }
      const bool isIdle = Clock::now() - lastUse > std::chrono::seconds(options_.idleSeconds);
      const bool isOwn = fileIdentity(options_.socket) == own_; // else it was removed, or is another one's
      if (isIdle && isOwn) {
        unlink(options_.socket.c_str());
      }
      if (isIdle || !isOwn) {
        return std::nullopt;
      }
    }
  }

 private:
  struct Client {
    int connection = -1;
    pid_t worker = -1;
  };

  static bool hasEnded(Client& client) {
    if (client.worker > 0 && waitpid(client.worker, nullptr, WNOHANG) == client.worker) {
      kill(-client.worker, SIGKILL); // what it has left behind
      client.worker = -1;
    }
    return client.worker < 0;
  }

  static void endWorkerOf(const Client& client) {
    if (client.worker > 0) {
      kill(-client.worker, SIGKILL);
      kill(client.worker, SIGKILL);
      waitpid(client.worker, nullptr, 0);
    }
    close(client.connection); // tells that it is gone
  }

  std::optional<Started> takeRequest() {
    const int connection = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (connection < 0) {
      return std::nullopt;
    }
    answer(connection, kReady);
    std::optional<std::pair<StartRequest, StartFiles>> received =
        isOfThisUser(connection) ? receiveRequest(connection) : std::nullopt;
    if (!received) {
      close(connection);
      return std::nullopt;
    }
    auto& [request, files] = *received;
    const std::string refusal = hasHungUp(connection) ? "nobody waits for it" : refusalOf(request);
    const pid_t worker = refusal.empty() ? options_.fork() : -1;
    if (worker == 0) {
      close(connection);
      return becomeWorker(std::move(request), files);
    }
    std::ranges::for_each(files, [](int file) { close(file); });
    if (worker < 0) {
      answer(connection, refusal.empty() ? "it cannot be forked" : refusal);
      close(connection);
      return std::nullopt;
    }
    setpgid(worker, worker);
    answer(connection, kStarted);
    clients_.push_back({connection, worker});
    return std::nullopt;
  }

  std::string refusalOf(const StartRequest& request) const {
    if (request.executable != identity_) {
      return "it is of another build";
    }
    if (request.limits != limitsOfProcess() || request.niceness < getpriority(PRIO_PROCESS, 0)) {
      return "other limits hold there";
    }
    const std::string refusal = environmentRefusal(options_.environment, request.environment);
    try {
      return refusal.empty() ? options_.refusal(request) : refusal;
    } catch (const std::exception& error) {
      return error.what();
    }
  }

  Started becomeWorker(StartRequest request, const StartFiles& files) const {
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() == 1 || chdir(request.folder.c_str()) != 0) {
      _exit(3);
    }
    close(listener_);
    for (const Client& client : clients_) {
      close(client.connection);
    }
    for (int standard = 0; standard < 3; ++standard) {
      dup2(files[static_cast<size_t>(standard) + 2], standard);
      close(files[static_cast<size_t>(standard) + 2]);
    }
    setpriority(PRIO_PROCESS, 0, request.niceness);
    clearenv();
    for (const auto& [name, value] : request.environment) {
      setenv(name.c_str(), value.c_str(), 1);
    }
    return {std::move(request), files[0], files[1]};
  }

  const ServerOptions& options_;
  const int listener_;
  std::string identity_, own_; // of the executable, of the socket
  std::vector<Client> clients_;
};

} // namespace

std::string environmentRefusal(const std::map<std::string, std::string>& own,
                               const std::map<std::string, std::string>& asked) {
  const auto lacks = [](const auto& variables, const auto& entry) {
    const auto found = variables.find(entry.first);
    return !mayDiffer(entry.first) && (found == variables.end() || found->second != entry.second);
  };
  for (const auto& [left, right] : {std::pair(&own, &asked), std::pair(&asked, &own)}) {
    const auto found =
        std::ranges::find_if(*left, [&, other = right](const auto& entry) { return lacks(*other, entry); });
    if (found != left->end()) {
      return "the variable " + found->first + " has another value there";
    }
  }
  return "";
}

std::optional<Started> serveStarts(const ServerOptions& options) {
  signal(SIGPIPE, SIG_IGN);
  return Server(options).serve();
}

} // namespace touchstone::warm
