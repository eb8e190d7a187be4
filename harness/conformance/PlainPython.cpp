#include "harness/conformance/PlainPython.h"

#include "harness/pool/PythonProcess.h"

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

constexpr double kSecondsForVersions = 120;

} // namespace

std::string runInPlainPython(const std::filesystem::path& file, const std::map<std::string, std::string>& environment,
                             double seconds) {
  const pool::PythonRun run = pool::runPython({file.string()}, environment, seconds);
  const std::string last = run.lastLine();
  return last == "agrees" || last == "differs" ? last : run.endText();
}

std::map<std::string, std::string> versionsOf(const worker::Profile& profile) {
  if (profile.imports.empty()) {
    return {};
  }
  std::vector<std::string> arguments = {"-c", kVersions};
  arguments.insert(arguments.end(), profile.pythonPath.begin(), profile.pythonPath.end());
  arguments.emplace_back("--");
  arguments.insert(arguments.end(), profile.imports.begin(), profile.imports.end());
  std::map<std::string, std::string> versions;
  std::istringstream lines(pool::runPython(arguments, profile.environment, kSecondsForVersions).output);
  for (std::string name, version; lines >> name >> version;) {
    versions[name] = version;
  }
  return versions;
}

} // namespace touchstone::conformance
