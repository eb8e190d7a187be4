#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <string>

namespace touchstone::tests {

struct PythonResult {
  int status = -1; // exit status; negative: killed by a signal
  std::string output; // standard output and error
};

/// Runs a Python text in a process of its own, as a person would from a file.
inline PythonResult runPython(const std::string& text, const std::string& arguments = "") {
  const std::string path = testing::TempDir() + "touchstone_" + std::to_string(::getpid()) + ".py";
  std::ofstream(path) << text;
  const std::string command =
      "OMP_NUM_THREADS=1 '" TOUCHSTONE_PYTHON "' -W ignore '" + path + "' " + arguments + " 2>&1 </dev/null";
  PythonResult result;
  FILE* pipe = popen(command.c_str(), "r");
  for (int c = 0; pipe && (c = fgetc(pipe)) != EOF;) {
    result.output += static_cast<char>(c);
  }
  const int status = pipe ? pclose(pipe) : -1;
  result.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  std::remove(path.c_str());
  return result;
}

} // namespace touchstone::tests
