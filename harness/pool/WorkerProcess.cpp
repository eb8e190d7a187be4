#include "harness/pool/WorkerProcess.h"

#include "harness/worker/Handshake.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <set>
#include <utility>

namespace touchstone::pool {

namespace {

void closeFile(int& file) {
  if (file >= 0) {
    close(file);
    file = -1;
  }
}

// Workers are ended by us, never by the terminal's Ctrl-C: a process group of their own.
[[noreturn]] void becomeWorker(const std::vector<std::string>& arguments,
                               const std::map<std::string, std::string>& environment, int jobs, int results) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (const auto& [name, value] : environment) {
    setenv(name.c_str(), value.c_str(), 1);
  }
  fcntl(jobs, F_SETFD, 0);
  fcntl(results, F_SETFD, 0);
  std::vector<std::string> words = arguments;
  words.push_back(std::to_string(jobs));
  words.push_back(std::to_string(results));
  becomeProgram(std::move(words));
  const std::string line =
      worker::handshakeLine("`" + arguments[0] + "` cannot be run: " + std::strerror(errno)) + "\n";
  (void)!write(results, line.data(), line.size());
  _exit(3);
}

std::unique_ptr<warm::WarmWorker> warmWorker(const std::vector<std::string>& arguments,
                                             const std::map<std::string, std::string>& environment, int jobs,
                                             int results) {
  const char* socket = std::getenv(warm::kSocketVariable);
  const bool mayBe = socket != nullptr && *socket != '\0' && arguments[0].ends_with("touchstone-torch-worker");
  return mayBe
             ? warm::WarmWorker::start(
                   socket, warm::requestOfProcess(arguments[0], {arguments.begin() + 1, arguments.end()}, environment),
                   {jobs, results, STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
             : nullptr;
}

} // namespace

void becomeProgram(std::vector<std::string> words) {
  std::vector<char*> pointers;
  for (std::string& word : words) {
    pointers.push_back(word.data());
  }
  pointers.push_back(nullptr);
  execv(pointers[0], pointers.data());
}

WorkerProcess::WorkerProcess(std::vector<std::string> arguments, std::map<std::string, std::string> environment)
    : arguments_(std::move(arguments)), environment_(std::move(environment)) {
  signal(SIGPIPE, SIG_IGN);
  start();
}

WorkerProcess::~WorkerProcess() {
  stop();
}

void WorkerProcess::start() {
  int toWorker[2], fromWorker[2];
  if (pipe2(toWorker, O_CLOEXEC) != 0 || pipe2(fromWorker, O_CLOEXEC) != 0) {
    throw std::runtime_error(std::string("Cannot make a pipe for a worker: ") + std::strerror(errno));
  }
  warm_ = mayBeWarm_ ? warmWorker(arguments_, environment_, toWorker[0], fromWorker[1]) : nullptr;
  if (warm_ == nullptr) {
    const pid_t parent = getpid();
    process_ = fork();
    if (process_ == 0) {
      if (getppid() != parent) {
        _exit(1);
      }
      becomeWorker(arguments_, environment_, toWorker[0], fromWorker[1]);
    }
  }
  close(toWorker[0]);
  close(fromWorker[1]);
  jobs_ = toWorker[1];
  results_ = fromWorker[0];
  if (warm_ == nullptr && process_ < 0) {
    throw std::runtime_error(std::string("Cannot start a worker: ") + std::strerror(errno));
  }
  if (process_ > 0) {
    setpgid(process_, process_);
  }
  fcntl(results_, F_SETFL, O_NONBLOCK);
  fcntl(jobs_, F_SETFL, O_NONBLOCK);
  greeted_ = false;
  preparing_.clear();
  buffer_.clear();
}

void WorkerProcess::stop() {
  closeFile(jobs_);
  closeFile(results_);
  warm_.reset();
  if (process_ > 0) {
    kill(-process_, SIGKILL);
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
    process_ = -1;
  }
}

void WorkerProcess::send(const worker::Batch& batch) {
  for (const worker::Job& job : batch.jobs) {
    outstanding_.push_back({job, batch.limits});
  }
  deliver(worker::batchLine(batch) + "\n");
}

// A batch can be larger than the pipe, while the worker is still starting or writes results that nobody reads yet: both
// directions are served here. A worker that died is noticed by receive().
void WorkerProcess::deliver(const std::string& text) {
  size_t written = 0;
  while (written < text.size()) {
    const ssize_t count = write(jobs_, text.data() + written, text.size() - written);
    if (count > 0) {
      written += static_cast<size_t>(count);
    } else if (count < 0 && errno == EAGAIN) {
      pollfd waited[2] = {{jobs_, POLLOUT, 0}, {results_, POLLIN, 0}};
      poll(waited, 2, 100);
      readAvailable();
    } else if (!(count < 0 && errno == EINTR)) {
      return;
    }
  }
}

bool WorkerProcess::readAvailable() {
  while (true) {
    char bytes[65536];
    const ssize_t count = read(results_, bytes, sizeof(bytes));
    if (count > 0) {
      buffer_.append(bytes, static_cast<size_t>(count));
    } else if (count < 0 && errno == EINTR) {
      continue;
    } else {
      return count < 0 && errno == EAGAIN;
    }
  }
}

std::vector<worker::JobResult> WorkerProcess::receive() {
  std::vector<worker::JobResult> results;
  const bool alive = readAvailable();
  size_t begin = 0;
  for (size_t end = buffer_.find('\n'); end != std::string::npos; end = buffer_.find('\n', begin)) {
    const std::string line = buffer_.substr(begin, end - begin);
    begin = end + 1;
    if (!greeted_) {
      takeFirstLine(line);
      continue;
    }
    results.push_back(worker::resultFromLine(line));
    std::erase_if(outstanding_, [&](const Outstanding& entry) { return entry.job.id == results.back().id; });
  }
  buffer_.erase(0, begin);
  if (!alive) {
    // A backend of one's own may be able to work all the same: it tries in processes of their own what it starts with.
    const bool wasWarm = !greeted_ && warm_ != nullptr;
    mayBeWarm_ = mayBeWarm_ && !wasWarm;
    const bool mayStart =
        wasWarm || (!greeted_ && !preparing_.empty() && environment_.emplace(worker::kStartsApart, "1").second);
    if (!greeted_ && !mayStart) {
      stop();
      throw WorkerUnavailable("The worker `" + arguments_[0] + "` ended while it " +
                              (preparing_.empty() ? "started." : "prepared the backend `" + preparing_ + "`."));
    }
    const bool wasAtWork = greeted_;
    stop();
    start();
    resend(results, wasAtWork);
  }
  return results;
}

void WorkerProcess::resend(std::vector<worker::JobResult>& lost, bool wasAtWork) {
  // Served in order: the first is the one that it had.
  if (wasAtWork && !outstanding_.empty() && std::exchange(outstanding_.front().sentAgain, true)) {
    worker::JobResult& result = lost.emplace_back();
    result.id = outstanding_.front().job.id;
    result.error = "The worker `" + arguments_[0] + "` died twice while it had this Case.";
    outstanding_.pop_front();
  }
  // One job a batch: the one that takes the worker with it must not take the others.
  std::string text;
  for (const Outstanding& entry : outstanding_) {
    text += worker::batchLine({entry.limits, {entry.job}}) + "\n";
  }
  deliver(text);
}

void WorkerProcess::takeFirstLine(const std::string& line) {
  if (const std::optional<std::string> backend = worker::backendOfPreparation(line)) {
    preparing_ = *backend;
    return;
  }
  if (const std::optional<std::string> trouble = worker::startTroubleOf(line)) {
    startTroubles_.push_back(*trouble);
    static std::set<std::string> told; // each worker says so
    if (told.insert(*trouble).second) {
      fmt::print(stderr, "{}\n", *trouble);
    }
    return;
  }
  const worker::Handshake handshake = worker::readHandshake(line);
  if (!handshake.trouble.empty()) {
    throw WorkerUnavailable(handshake.trouble);
  }
  greeted_ = true;
  torch_ = handshake.torch;
}

} // namespace touchstone::pool
