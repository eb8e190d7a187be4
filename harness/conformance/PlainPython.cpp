#include "harness/conformance/PlainPython.h"

#include "harness/pool/ProfileFlags.h"

#include <fmt/format.h>

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
torchs = {"torch"}  # and what it needs itself
waiting = ["torch"]
while waiting:
    for line in importlib.metadata.requires(waiting.pop()) or ():
        name = re.match(r"[\w.-]+", line)[0]
        if "extra ==" not in line and name not in torchs:
            torchs.add(name)
            try:
                importlib.metadata.version(name)
                waiting.append(name)
            except importlib.metadata.PackageNotFoundError:
                pass
for name in sorted(found - torchs):
    print(name, importlib.metadata.version(name))
)";

constexpr int kTimedOut = 124; // of `timeout`
constexpr int kSignals = 128; // of a shell: the process ended by a signal

std::string endText(int status) {
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : kSignals + WTERMSIG(status);
  switch (code) {
    case 0: return "agrees";
    case 1: return "differs";
    case 2: return "does not run: the backend is not there";
    case kTimedOut: return "runs out of time";
    default:
      return code > kSignals ? fmt::format("ends the process ({})", strsignal(code - kSignals))
                             : fmt::format("ends with exit status {}", code);
  }
}

std::string outputOf(const std::string& command) {
  std::string text;
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) {
    return text;
  }
  std::array<char, 4096> buffer{};
  while (const size_t count = fread(buffer.data(), 1, buffer.size(), pipe)) {
    text.append(buffer.data(), count);
  }
  return pclose(pipe) == 0 ? text : "";
}

} // namespace

std::string pythonInterpreter() {
  const char* given = std::getenv("TOUCHSTONE_PYTHON");
  return given != nullptr && *given != 0 ? given : TOUCHSTONE_PYTHON;
}

std::string runInPlainPython(const std::filesystem::path& file, const std::map<std::string, std::string>& environment,
                             double seconds) {
  std::string command = "env";
  for (const auto& [name, value] : environment) {
    command += " " + pool::shellWord(name + "=" + value);
  }
  command += fmt::format(" timeout -k 5 {:.0f} {} {} >/dev/null 2>&1", seconds, pool::shellWord(pythonInterpreter()),
                         pool::shellWord(file.string()));
  return endText(std::system(command.c_str()));
}

std::map<std::string, std::string> versionsOf(const worker::Profile& profile) {
  if (profile.imports.empty()) {
    return {};
  }
  std::string command =
      fmt::format("timeout 120 {} -c {}", pool::shellWord(pythonInterpreter()), pool::shellWord(kVersions));
  for (const std::string& folder : profile.pythonPath) {
    command += " " + pool::shellWord(folder);
  }
  command += " --";
  for (const std::string& module : profile.imports) {
    command += " " + pool::shellWord(module);
  }
  std::map<std::string, std::string> versions;
  std::istringstream lines(outputOf(command + " 2>/dev/null"));
  for (std::string name, version; lines >> name >> version;) {
    versions[name] = version;
  }
  return versions;
}

} // namespace touchstone::conformance
