#include "harness/pool/PythonProcess.h"

#include "base/Interrupt.h"
#include "harness/pool/ProfileFlags.h"

#include <fmt/format.h>

#include <signal.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>

namespace touchstone::pool {

namespace {

constexpr int kTimedOut = 124, kKilled = 128 + SIGKILL; // of `timeout`, and of what it kills

} // namespace

std::string PythonRun::lastLine() const {
  std::string last;
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    last = line;
  }
  return last;
}

std::string PythonRun::endText() const {
  if (base::interruptRequested()) {
    return "was not run: interrupted";
  }
  if (status == kTimedOut || status == kKilled) {
    return kOutOfTime;
  }
  return status > 128 ? fmt::format("{} ({})", kEndsTheProcess, strsignal(status - 128))
                      : fmt::format("ends with exit status {}: {}", status, lastLine());
}

std::string pythonInterpreter() {
  const char* given = std::getenv("TOUCHSTONE_PYTHON");
  return given != nullptr && *given != 0 ? given : TOUCHSTONE_PYTHON;
}

PythonRun runPython(const std::vector<std::string>& arguments, const std::map<std::string, std::string>& environment,
                    double seconds) {
  std::string command = "env";
  for (const auto& [name, value] : environment) {
    command += " " + shellWord(name + "=" + value);
  }
  command += fmt::format(" timeout --foreground -k 5 {:.3f} {}", seconds, shellWord(pythonInterpreter()));
  for (const std::string& argument : arguments) {
    command += " " + shellWord(argument);
  }
  FILE* pipe = popen((command + " 2>/dev/null").c_str(), "r");
  if (pipe == nullptr) {
    return {.output = "", .status = -1};
  }
  PythonRun run;
  std::array<char, 4096> buffer{};
  while (const size_t count = fread(buffer.data(), 1, buffer.size(), pipe)) {
    run.output.append(buffer.data(), count);
  }
  const int status = pclose(pipe);
  run.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return run;
}

} // namespace touchstone::pool
