#pragma once

#include "harness/warm/WarmWorker.h"
#include "harness/worker/Job.h"

#include <sys/types.h>

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace touchstone::pool {

/// A worker cannot run on this machine; `what()` says what to install. Exit status 3.
class WorkerUnavailable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A process that serves jobs (see serveJobs), seen from the main process. Starts by itself, is started again when it dies.
///
/// Its jobs are reported exactly once each, whatever happens: those that were on their way when it died are sent once more,
/// and come back as JobResult::error when that fails too.
class WorkerProcess {
 public:
  /// `arguments`: the executable and its arguments; the descriptors to read and write are appended as two numbers.
  /// `environment`: variables besides those of this process. Where TOUCHSTONE_WARM names a socket at which starts are kept ready
  /// for this executable, it is forked there.
  explicit WorkerProcess(std::vector<std::string> arguments, std::map<std::string, std::string> environment = {});
  ~WorkerProcess();
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  void send(const worker::Batch& batch);
  /// It has greeted: it can work here.
  bool isReady() const { return greeted_; }
  /// Version of its PyTorch; empty: it has not greeted yet.
  const std::string& torch() const { return torch_; }
  /// What backends of one's own did not get through when it started, a sentence each.
  const std::vector<std::string>& startTroubles() const { return startTroubles_; }
  bool isIdle() const { return outstanding_.empty(); }
  /// To be polled for reading; then receive() has something.
  int descriptor() const { return results_; }
  /// Results that have come, without waiting. Throws WorkerUnavailable when the worker says that it cannot work here.
  std::vector<worker::JobResult> receive();

 private:
  void start();
  void stop();
  void deliver(const std::string& text);
  void resend(std::vector<worker::JobResult>& lost, bool wasAtWork);
  bool readAvailable(); // false: the process has ended
  void takeFirstLine(const std::string& line); // of those that come before results

  const std::vector<std::string> arguments_;
  std::map<std::string, std::string> environment_;
  pid_t process_ = -1;
  std::unique_ptr<warm::WarmWorker> warm_; // in place of a process of its own
  bool mayBeWarm_ = true; // none of them has ended before it greeted
  int jobs_ = -1;
  int results_ = -1;
  bool greeted_ = false;
  std::string torch_;
  std::vector<std::string> startTroubles_;
  std::string preparing_; // the backend that it prepares while it starts; empty: none yet
  std::string buffer_;
  struct Outstanding {
    worker::Job job;
    worker::JobLimits limits;
    bool sentAgain = false;
  };
  std::deque<Outstanding> outstanding_;
};

/// Of a forked process: a program, by its path, with its arguments. Returns where it cannot be run; errno says why.
void becomeProgram(std::vector<std::string> words);

} // namespace touchstone::pool
