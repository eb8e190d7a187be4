#include "harness/commands/Commands.h"

#include "base/Interrupt.h"
#include "base/Words.h"
#include "harness/pool/WorkerPool.h"
#include "harness/pool/WorkerProcess.h"
#include "harness/warm/StartRequest.h"

#include <fmt/format.h>

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>

namespace touchstone::commands {

namespace {

/// `touchstone warm`: a process that has imported PyTorch, from which workers are forked.
struct WarmOptions {
  std::string socket;
  int idle = 600; // seconds
  bool stops = false;
};

constexpr int kTickMilliseconds = 50;

std::string defaultSocket() {
  const char* folder = std::getenv("XDG_RUNTIME_DIR");
  const std::filesystem::path into =
      folder != nullptr && access(folder, W_OK) == 0 ? folder : std::filesystem::temp_directory_path();
  return into / fmt::format("touchstone-warm-{}-{}.sock", getuid(), getpid());
}

bool answers(const std::string& socket) {
  const int connection = warm::openSocket(socket, false);
  if (connection >= 0) {
    close(connection);
  }
  return connection >= 0;
}

/// It ends by itself when its socket is gone.
base::ExitStatus stop(const std::string& given) {
  const char* named = std::getenv(warm::kSocketVariable);
  const std::string socket = given.empty() && named != nullptr ? named : given;
  if (socket.empty()) {
    throw base::WrongUse(fmt::format("Say which: --socket PATH, or have it in {}.", warm::kSocketVariable));
  }
  if (!answers(socket)) {
    throw base::WrongUse(fmt::format("Nobody keeps workers ready at `{}`.", socket));
  }
  std::filesystem::remove(socket);
  return base::ExitStatus::kNothingNew;
}

[[noreturn]] void becomeServer(const std::vector<std::string>& arguments, int errors) {
  setsid();
  const int nothing = open("/dev/null", O_RDWR);
  dup2(nothing, STDIN_FILENO);
  dup2(nothing, STDOUT_FILENO);
  dup2(errors, STDERR_FILENO);
  pool::becomeProgram(arguments);
  fmt::print(stderr, "`{}` cannot be run: {}\n", arguments[0], std::strerror(errno));
  _exit(3);
}

std::string textFrom(int file) {
  std::string text;
  char bytes[4096];
  for (ssize_t count = read(file, bytes, sizeof(bytes)); count > 0; count = read(file, bytes, sizeof(bytes))) {
    text.append(bytes, static_cast<size_t>(count));
  }
  return text;
}

base::ExitStatus keepReady(const WarmOptions& options) {
  const std::string socket = std::filesystem::absolute(options.socket.empty() ? defaultSocket() : options.socket);
  if (answers(socket)) {
    throw base::WrongUse(fmt::format(
        "Workers are kept ready at `{}` already; `touchstone warm --stop --socket {}` ends that.", socket, socket));
  }
  constexpr size_t kLongestPath = 107; // of a socket
  if (socket.size() > kLongestPath || !std::filesystem::is_directory(std::filesystem::path(socket).parent_path())) {
    throw base::WrongUse(
        fmt::format("`{}` cannot be a socket: its folder must be there, and the path have at most {} bytes.", socket,
                    kLongestPath));
  }
  if (options.idle < 1) {
    throw base::WrongUse("--idle takes a number of seconds above 0.");
  }
  if (std::filesystem::exists(socket) && !std::filesystem::is_socket(socket)) {
    throw base::WrongUse(fmt::format("`{}` is there already, and is no socket.", socket));
  }
  std::filesystem::remove(socket); // of one that was killed
  std::vector<std::string> arguments = pool::workerArguments(ir::Family::kTorch, {}, {}, "");
  arguments.insert(arguments.end(), {"--warm", socket, std::to_string(options.idle)});
  int errors[2];
  if (pipe2(errors, O_CLOEXEC) != 0) {
    throw std::runtime_error(std::string("Cannot make a pipe: ") + std::strerror(errno));
  }
  const pid_t server = fork();
  if (server == 0) {
    becomeServer(arguments, errors[1]);
  }
  close(errors[1]);
  while (!answers(socket)) {
    if (base::interruptRequested()) {
      kill(server, SIGKILL);
      throw base::Interrupted();
    }
    if (server < 0 || waitpid(server, nullptr, WNOHANG) == server) {
      throw pool::WorkerUnavailable(textFrom(errors[0]));
    }
    poll(nullptr, 0, kTickMilliseconds);
  }
  close(errors[0]);
  fmt::print("export {}='{}'\n", warm::kSocketVariable, socket);
  return base::ExitStatus::kNothingNew;
}

} // namespace

options::Command warmCommand() {
  const auto given = std::make_shared<WarmOptions>();
  return {
      .options = {{"--socket", &given->socket,
                   "Path of the socket; default: a new one in $XDG_RUNTIME_DIR or the folder for temporary files"},
                  {"--idle", &given->idle, "Seconds after which it ends by itself when no worker runs"},
                  {"--stop", &given->stops, "End the one at --socket, or at the socket in TOUCHSTONE_WARM"}},
      .footer =
          "Commands that find the socket in TOUCHSTONE_WARM start workers of the installed PyTorch from there:\n"
          "  eval \"$(touchstone warm)\"\n"
          "  touchstone run case.py --backends torch:aot_eager\n"
          "  touchstone warm --stop\n"
          "A worker with another build, another environment of variables, other limits, or for a device starts as without.",
      .run = [given](const options::Given&) { return given->stops ? stop(given->socket) : keepReady(*given); },
  };
}

} // namespace touchstone::commands
