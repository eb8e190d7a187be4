#include "harness/pool/LibraryDescription.h"

#include "backends/Registry.h"
#include "backends/shared_library/SharedBackend.h"

#include <nlohmann/json.hpp>

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <stdexcept>

namespace touchstone::pool {

namespace {

using nlohmann::json;

constexpr int kSecondsToLoad = 60;

/// What the child says: the backend, or why there is none.
json tellOf(const std::string& path) {
  try {
    const ir::BackendInfo info = shared_library::SharedBackend(path).info();
    return {
        {"name", info.name}, {"summary", info.summary}, {"rules", static_cast<int>(info.rules)}, {"base", info.base}};
  } catch (const shared_library::LibraryUnavailable& error) {
    return {{"unavailable", error.what()}};
  } catch (const std::exception& error) {
    return {{"mistake", error.what()}};
  } catch (...) {
    return {{"mistake", "The shared library `" + path + "` throws something that is no std::exception."}};
  }
}

[[noreturn]] void describeInChild(const std::string& path, int output) {
  const std::string text = tellOf(path).dump(-1, ' ', false, json::error_handler_t::replace);
  for (size_t written = 0; written < text.size();) {
    const ssize_t count = write(output, text.data() + written, text.size() - written);
    if (count <= 0 && errno != EINTR) {
      break;
    }
    written += count > 0 ? static_cast<size_t>(count) : 0;
  }
  _exit(0);
}

/// Everything until the end; false: it took too long.
bool readAll(int input, std::string& text) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(kSecondsToLoad);
  while (std::chrono::steady_clock::now() < end) {
    pollfd waited{input, POLLIN, 0};
    if (poll(&waited, 1, 200) <= 0) {
      continue;
    }
    char bytes[4096];
    const ssize_t count = read(input, bytes, sizeof(bytes));
    if (count == 0) {
      return true;
    }
    text.append(bytes, count > 0 ? static_cast<size_t>(count) : 0);
  }
  return false;
}

} // namespace

ir::BackendInfo describeLibrary(const std::string& path) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) {
    throw std::runtime_error(std::string("Cannot make a pipe: ") + std::strerror(errno));
  }
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    describeInChild(path, ends[1]);
  }
  close(ends[1]);
  if (child < 0) {
    close(ends[0]);
    throw std::runtime_error(std::string("Cannot start a child to load a library: ") + std::strerror(errno));
  }
  std::string text;
  const bool inTime = readAll(ends[0], text);
  close(ends[0]);
  if (!inTime) {
    kill(child, SIGKILL);
  }
  int status = 0;
  waitpid(child, &status, 0);
  const json told = json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (told.is_discarded()) {
    const std::string how = !inTime ? "takes more than a minute"
                            : WIFSIGNALED(status)
                                ? std::string("ends the process (") + strsignal(WTERMSIG(status)) + ")"
                                : "ends the process";
    throw worker::ProfileUnavailable("The shared library `" + path + "` " + how + " while it is loaded.");
  }
  if (told.contains("mistake")) {
    throw std::invalid_argument(told["mistake"].get<std::string>());
  }
  if (told.contains("unavailable")) {
    throw worker::ProfileUnavailable(told["unavailable"].get<std::string>());
  }
  ir::BackendInfo info;
  info.name = told["name"];
  info.summary = told["summary"];
  info.rules = static_cast<ir::RuleSet>(told["rules"].get<int>());
  info.base = told["base"];
  return info;
}

std::vector<std::string> declareLibraries(const worker::Profile& profile, const std::string& source) {
  std::vector<std::string> names;
  for (const std::string& path : profile.load) {
    try {
      const ir::BackendInfo info = describeLibrary(path);
      if (std::find(names.begin(), names.end(), info.name) != names.end()) {
        throw std::invalid_argument("Two of the libraries have a backend `" + info.name +
                                    "`; one of them needs another name.");
      }
      backends::declareBackend(info);
      names.push_back(info.name);
    } catch (const worker::ProfileUnavailable& error) {
      throw worker::ProfileUnavailable(source + ": `load`: " + error.what());
    } catch (const std::invalid_argument& error) {
      throw std::invalid_argument(source + ": `load`: " + error.what());
    }
  }
  return names;
}

} // namespace touchstone::pool
