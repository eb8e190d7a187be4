#include "harness/conformance/PlainPython.h"

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

namespace touchstone::conformance {

namespace {

// What lies in the folders of the profile, and what its modules import that PyTorch alone does not.
constexpr const char* kVersions = R"(
import importlib, importlib.metadata, re, sys
told, sys.stdout = sys.stdout, sys.stderr
import torch
before = set(sys.modules)
split = sys.argv.index("--")
folders, modules = sys.argv[1:split], sys.argv[split + 1:]
sys.path[:0] = folders
found = {each.name for each in importlib.metadata.distributions(path=folders)}
for name in modules:
    try:
        importlib.import_module(name)
    except Exception:
        pass
packages = importlib.metadata.packages_distributions()
for module in set(sys.modules) - before:
    found.update(packages.get(module.split(".")[0], ()))
def plain(name):
    return re.sub("[-_.]+", "-", name).lower()
torchs = {"torch"}  # and what it needs itself
waiting = ["torch"]
while waiting:
    for line in importlib.metadata.requires(waiting.pop()) or ():
        name = plain(re.match(r"[\w.-]+", line)[0])
        if "extra ==" not in line and name not in torchs:
            torchs.add(name)
            try:
                importlib.metadata.version(name)
                waiting.append(name)
            except importlib.metadata.PackageNotFoundError:
                pass
for name in sorted({plain(each) for each in found if each} - torchs):
    print(name, importlib.metadata.version(name), file=told)
)";

constexpr int kTimedOut = 124, kKilled = 128 + SIGKILL; // exit statuses of `timeout`, and of a shell

struct Ended {
  std::string output;
  int status = 0; // of the shell
};

/// An interrupt reaches the command, and this process.
Ended runShell(const std::string& command) {
  Ended ended;
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) {
    return {.output = "", .status = -1};
  }
  std::array<char, 4096> buffer{};
  while (const size_t count = fread(buffer.data(), 1, buffer.size(), pipe)) {
    ended.output.append(buffer.data(), count);
  }
  const int status = pclose(pipe);
  ended.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return ended;
}

/// By the last line, which a case file prints, and by how the process ended.
std::string endText(const Ended& ended) {
  std::string last;
  std::istringstream lines(ended.output);
  for (std::string line; std::getline(lines, line);) {
    last = line;
  }
  if (last == "agrees" || last == "differs") {
    return last;
  }
  if (base::interruptRequested()) {
    return "was not run: interrupted";
  }
  if (ended.status == kTimedOut || ended.status == kKilled) {
    return "runs out of time";
  }
  return ended.status > 128 ? fmt::format("ends the process ({})", strsignal(ended.status - 128))
                            : fmt::format("ends with exit status {}: {}", ended.status, last);
}

std::string environmentText(const std::map<std::string, std::string>& environment) {
  std::string text = "env";
  for (const auto& [name, value] : environment) {
    text += " " + pool::shellWord(name + "=" + value);
  }
  return text;
}

/// The one that TOUCHSTONE_PYTHON names, else that which the program was built with.
std::string pythonInterpreter() {
  const char* given = std::getenv("TOUCHSTONE_PYTHON");
  return given != nullptr && *given != 0 ? given : TOUCHSTONE_PYTHON;
}

} // namespace

std::string runInPlainPython(const std::filesystem::path& file, const std::map<std::string, std::string>& environment,
                             double seconds) {
  return endText(
      runShell(fmt::format("{} timeout --foreground -k 5 {:.0f} {} {} 2>/dev/null", environmentText(environment),
                           seconds, pool::shellWord(pythonInterpreter()), pool::shellWord(file.string()))));
}

std::map<std::string, std::string> versionsOf(const worker::Profile& profile) {
  if (profile.imports.empty()) {
    return {};
  }
  std::string command = fmt::format("{} timeout --foreground 120 {} -c {}", environmentText(profile.environment),
                                    pool::shellWord(pythonInterpreter()), pool::shellWord(kVersions));
  for (const std::string& folder : profile.pythonPath) {
    command += " " + pool::shellWord(folder);
  }
  command += " --";
  for (const std::string& module : profile.imports) {
    command += " " + pool::shellWord(module);
  }
  std::map<std::string, std::string> versions;
  std::istringstream lines(runShell(command + " 2>/dev/null").output);
  for (std::string name, version; lines >> name >> version;) {
    versions[name] = version;
  }
  return versions;
}

} // namespace touchstone::conformance
