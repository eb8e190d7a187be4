#include "harness/worker/Device.h"

#include "program/values/DefaultDevice.h"
#include "program/values/RaisedException.h"

#include <ATen/core/Tensor.h>
#include <ATen/ops/ones.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace touchstone::worker {

namespace {

/// What comes of making a tensor and reading it; empty: all is well.
std::string tryDevice(const c10::Device& device) {
  try {
    return at::ones({1}, at::TensorOptions(device)).item().toDouble() == 1 ? "" : "one is not one there";
  } catch (...) {
    return values::currentException().what();
  }
}

/// What a child writes into the pipe before it ends.
std::string textFromChild(int pipe) {
  std::string text;
  char bytes[4096];
  for (ssize_t count = 0; (count = read(pipe, bytes, sizeof(bytes))) > 0;) {
    text.append(bytes, static_cast<size_t>(count));
  }
  return text;
}

} // namespace

std::string troubleWithDevice(const std::string& name) {
  const c10::Device device = values::deviceNamed(name);
  if (device.is_cpu()) {
    return "";
  }
  int ends[2];
  if (pipe(ends) != 0) {
    return "no pipe to try it through could be made";
  }
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    const std::string trouble = tryDevice(device);
    (void)!write(ends[1], trouble.data(), trouble.size());
    _exit(0);
  }
  close(ends[1]);
  std::string trouble = child < 0 ? "no process to try it in could be started" : textFromChild(ends[0]);
  close(ends[0]);
  int status = 0;
  if (child > 0 && waitpid(child, &status, 0) == child && status != 0 && trouble.empty()) {
    trouble = "the process that tried it died";
  }
  trouble = trouble.substr(0, trouble.find('\n'));
  return trouble.substr(0, trouble.find(". ")); // what follows lists all that is there
}

void endIfDeviceFailed(const language::Case& theCase) {
  const c10::Device device = values::deviceOf(theCase);
  if (device.is_cpu() || device.is_meta()) {
    return;
  }
  try {
    const c10::impl::VirtualGuardImpl guard(device.type());
    guard.synchronizeDevice(device.has_index() ? device.index() : guard.getDevice().index());
  } catch (const c10::NotImplementedError&) {
  } catch (const c10::Error& error) {
    if (std::string_view(error.what()).find("doesn't support synchronizing") == std::string_view::npos) {
      std::fprintf(stderr, "%s can do nothing more for this process: %s\n", device.str().c_str(),
                   error.what_without_backtrace());
      std::abort();
    }
  }
}

} // namespace touchstone::worker
