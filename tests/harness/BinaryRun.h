#pragma once

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

namespace touchstone::tests {

/// What a run of the built program said.
struct BinaryRun {
  int status = -1;
  std::string output, errors;
};

/// When a run is ended from outside, and how.
struct BinaryEnd {
  std::function<bool()> isTime; // asked again and again
  int signal = SIGINT;
};

/// Runs the built `touchstone` with these arguments and waits, or ends it.
inline BinaryRun runBinaryUntil(const std::vector<std::string>& arguments, const BinaryEnd& end) {
  static int number = 0;
  const std::filesystem::path base = std::filesystem::temp_directory_path() /
                                     ("touchstone_run_" + std::to_string(getpid()) + "_" + std::to_string(number++));
  const std::string files[2] = {base.string() + ".out", base.string() + ".err"};
  const pid_t process = fork();
  if (process == 0) {
    for (int i = 0; i < 2; ++i) {
      dup2(open(files[i].c_str(), O_CREAT | O_TRUNC | O_WRONLY, 0600), i + 1);
    }
    std::vector<std::string> texts = arguments;
    texts.insert(texts.begin(), std::string(TOUCHSTONE_BINARY_DIR) + "/harness/touchstone");
    std::vector<char*> pointers;
    for (std::string& text : texts) {
      pointers.push_back(text.data());
    }
    pointers.push_back(nullptr);
    execv(pointers[0], pointers.data());
    _exit(127);
  }
  int status = 0;
  while (end.isTime && waitpid(process, &status, WNOHANG) == 0) {
    if (end.isTime()) {
      kill(process, end.signal);
      waitpid(process, &status, 0);
      break;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  if (!end.isTime) {
    waitpid(process, &status, 0);
  }
  BinaryRun run;
  run.status = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  std::string* texts[2] = {&run.output, &run.errors};
  for (int i = 0; i < 2; ++i) {
    std::ostringstream text;
    text << std::ifstream(files[i]).rdbuf();
    *texts[i] = text.str();
    std::filesystem::remove(files[i]);
  }
  return run;
}

/// The same without an end from outside; with `interruptAfter` seconds, Ctrl-C is pressed then.
inline BinaryRun runBinary(const std::vector<std::string>& arguments, double interruptAfter = 0) {
  const auto begin = std::chrono::steady_clock::now();
  const auto isTime = [=] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() >= interruptAfter;
  };
  return runBinaryUntil(arguments, {interruptAfter > 0 ? isTime : std::function<bool()>(), SIGINT});
}

/// runBinary() with the folder of broken backends on Python's path: `torch:broken_backends:sin_is_cos`.
inline BinaryRun runWithBrokenBackends(const std::vector<std::string>& arguments) {
  setenv("PYTHONPATH", TOUCHSTONE_SOURCE_DIR "/tests/python", 1);
  BinaryRun run = runBinary(arguments);
  unsetenv("PYTHONPATH");
  return run;
}

/// A folder that is there as long as the object.
class TemporaryFolder {
 public:
  explicit TemporaryFolder(const std::string& name)
      : path_(std::filesystem::temp_directory_path() / ("touchstone_" + name + "_" + std::to_string(getpid()))) {
    std::filesystem::remove_all(path_);
    std::filesystem::create_directories(path_);
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  const std::filesystem::path& path() const { return path_; }
  std::string file(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name) << text;
    return path_ / name;
  }

 private:
  std::filesystem::path path_;
};

/// A small case file whose program returns `result`, with these header lines.
inline std::string smallCase(const std::string& result, const std::string& headers = "") {
  return "# touchstone: 1\n" + headers +
         "import torch\n\n\ndef inputs(seed, kind):\n    x = torch.ones((2, 3))\n    return (x,), ()\n\n\n"
         "def program(x):\n    return " +
         result + "\n\n\nCALLS = [\n    dict(inputs=\"inputs\"),\n    dict(inputs=\"inputs\", seed=1),\n]\n";
}

} // namespace touchstone::tests
