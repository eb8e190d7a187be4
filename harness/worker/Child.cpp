#include "harness/worker/Child.h"

#include "base/Machine.h"
#include "harness/worker/FillAllocator.h"
#include "harness/worker/HeapLimit.h"

#include <c10/util/Exception.h>
#include <fmt/format.h>

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <stdexcept>

namespace touchstone::worker {

namespace {

constexpr int kPollMilliseconds = 50;
constexpr off_t kMaximumErrorBytes = 16 << 20;
constexpr size_t kShownErrorBytes = 1500;
constexpr size_t kReadErrorBytes = 16384;
constexpr int kGivesUp = 75; // status of a child that ends as ChildEnd::Kind::kGaveUp

void writeWhole(int file, const std::string& text) {
  size_t written = 0;
  while (written < text.size()) {
    const ssize_t count = write(file, text.data() + written, text.size() - written);
    if (count < 0 && errno == EINTR) {
      continue;
    }
    if (count <= 0) {
      _exit(1); // the reader is gone, and with it everybody who wants the result
    }
    written += static_cast<size_t>(count);
  }
}

void limitMemory(int64_t bytes, bool limitsAddressSpace) {
  if (limitsAddressSpace) {
    const auto limit = static_cast<rlim_t>(base::processMemory().mapped + bytes);
    const rlimit both{limit, limit};
    setrlimit(RLIMIT_AS, &both);
  }
  const rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
}

// Standard output belongs to nobody here (Programs print), standard error is kept to explain a death.
void redirectStandardFiles(int errors) {
  const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
  dup2(nothing, STDIN_FILENO);
  dup2(nothing, STDOUT_FILENO);
  if (std::getenv("TOUCHSTONE_WORKER_MESSAGES") == nullptr) {
    dup2(errors, STDERR_FILENO);
  }
}

bool showsWanted(const Job& job, const JobResult& result) {
  const auto* task = std::get_if<JudgeTask>(&job.task);
  return task != nullptr && task->wanted.has_value() && !result.backends.empty() &&
         language::isFinding(result.backends[0].outcome) && symptomOf(result.backends[0]) == *task->wanted;
}

[[noreturn]] void runChild(std::span<const Job> jobs, const JobRunner& run, Progress& progress, int lines) {
  setCurrentProgress(&progress);
  const bool wasOverwritten = wroteOutOfBounds(); // by the process that forked this one
  int position = 0;
  bool found = false;
  for (const Job& job : jobs) {
    progress.beginJob(position++);
    JobResult result;
    try {
      result = found ? JobResult{} : run(job);
      found = found || showsWanted(job, result);
    } catch (const std::bad_alloc&) {
      progress.allocationFailed = true; // told apart by the parent, with the place
      std::abort();
    } catch (const std::exception& error) {
      if (position > 1) {
        _exit(kGivesUp);
      }
      const auto* ofTorch = dynamic_cast<const c10::Error*>(&error);
      result = JobResult{};
      result.error = ofTorch != nullptr ? ofTorch->what_without_backtrace() : error.what();
    }
    result.id = job.id;
    progress.enter("report");
    writeWhole(lines, resultLine(result) + "\n");
    if (!found && (progress.everShortOfMemory || (wroteOutOfBounds() && !wasOverwritten))) {
      _exit(0); // what was short may still be, what was overwritten is: the next Case gets a child of its own
    }
  }
  _exit(0);
}

std::string signalCause(int number) {
  const char* name = sigabbrev_np(number);
  return name != nullptr ? std::string("SIG") + name : "signal " + std::to_string(number);
}

} // namespace

static double secondsOf(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

Child::Child(std::span<const Job> jobs, const JobLimits& limits, const JobRunner& run, const ForkHooks& hooks,
             Progress& progress)
    : limits_(limits), progress_(progress) {
  int ends[2];
  errors_ = memfd_create("messages", MFD_CLOEXEC);
  if (errors_ < 0 || pipe2(ends, O_CLOEXEC) != 0) {
    throw std::runtime_error(std::string("Cannot make a pipe for a worker: ") + std::strerror(errno));
  }
  fcntl(errors_, F_SETFL, O_APPEND);
  progress_.job = -1;
  progress_.backend[0] = progress_.rung[0] = 0;
  progress_.enter("start");
  progress_.cpuAtStart = 0;
  progress_.wallAtStart = wallSeconds();
  const pid_t parent = getpid();
  hooks.before();
  process_ = fork();
  if (process_ == 0) {
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) {
      _exit(1);
    }
    close(ends[0]);
    redirectStandardFiles(errors_);
    limitMemory(limits.memoryBytes, limits.limitsAddressSpace);
    limitTensorMemory(limits.memoryBytes);
    endWhenHeapIsUsedUp();
    hooks.inChild();
    runChild(jobs, run, progress, ends[1]);
  }
  hooks.inParent();
  close(ends[1]);
  lines_ = ends[0];
  if (process_ < 0) {
    throw std::runtime_error(std::string("Cannot fork a worker: ") + std::strerror(errno));
  }
  setpgid(process_, process_);
}

Child::~Child() {
  if (process_ > 0) {
    kill(-process_, SIGKILL);
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
  }
  close(lines_);
  close(errors_);
}

bool Child::passedLimit() {
  const double allowed = progress_.backend[0] != 0 ? limits_.backendSeconds : limits_.eagerSeconds;
  clockid_t clock{};
  timespec used{};
  if (clock_getcpuclockid(process_, &clock) == 0 && clock_gettime(clock, &used) == 0) {
    const double seconds = static_cast<double>(used.tv_sec) + 1e-9 * static_cast<double>(used.tv_nsec);
    if (seconds - progress_.cpuAtStart > allowed) {
      limit_ = "cpu time";
      limitSeconds_ = allowed;
      return true;
    }
  }
  if (wallSeconds() - progress_.wallAtStart > allowed * limits_.wallFactor) {
    limit_ = "wall time";
    limitSeconds_ = allowed * limits_.wallFactor;
    return true;
  }
  struct stat status {};
  if (fstat(errors_, &status) == 0 && status.st_size > kMaximumErrorBytes) {
    (void)!ftruncate(errors_, 0);
  }
  return false;
}

std::vector<std::string> Child::nextLines() {
  std::vector<std::string> result;
  while (result.empty()) {
    pollfd waited{lines_, POLLIN, 0};
    const int ready = poll(&waited, 1, kPollMilliseconds);
    if (ready <= 0) {
      if (passedLimit()) {
        kill(-process_, SIGKILL);
        return {};
      }
      continue;
    }
    char bytes[65536];
    const ssize_t count = read(lines_, bytes, sizeof(bytes));
    if (count < 0 && errno == EINTR) {
      continue;
    }
    if (count <= 0) {
      return {};
    }
    buffer_.append(bytes, static_cast<size_t>(count));
    size_t begin = 0;
    for (size_t end = buffer_.find('\n'); end != std::string::npos; end = buffer_.find('\n', begin)) {
      result.push_back(buffer_.substr(begin, end - begin));
      begin = end + 1;
    }
    buffer_.erase(0, begin);
  }
  return result;
}

std::string Child::lastErrorLines() const {
  struct stat status {};
  if (fstat(errors_, &status) != 0 || status.st_size == 0) {
    return "";
  }
  const auto size = static_cast<size_t>(status.st_size);
  std::string text(std::min(size, kReadErrorBytes), '\0');
  const ssize_t count = pread(errors_, text.data(), text.size(), static_cast<off_t>(size - text.size()));
  text.resize(count > 0 ? static_cast<size_t>(count) : 0);
  // What libtorch lists of its stack would take the place of what it says.
  std::string kept;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size() - 1) + 1;
    if (text.compare(begin, 7, "frame #") != 0) {
      kept.append(text, begin, end - begin);
    }
    begin = end;
  }
  text = kept.size() > kShownErrorBytes ? kept.substr(kept.size() - kShownErrorBytes) : kept;
  return text.empty() ? "" : "; it wrote: " + text;
}

ChildEnd Child::end() {
  int status = 0;
  rusage usage{};
  // The pipe is closed: the process is ending, unless the Program closed it and lives on.
  const double deadline = wallSeconds() + 5;
  pid_t ended = 0;
  while ((ended = wait4(process_, &status, WNOHANG, &usage)) == 0) {
    if (wallSeconds() > deadline) {
      kill(-process_, SIGKILL);
      wait4(process_, &status, 0, &usage);
      break;
    }
    poll(nullptr, 0, 1);
  }
  kill(-process_, SIGKILL); // what it started
  process_ = -1;

  ChildEnd result;
  const bool memoryShort = progress_.allocationFailed || usage.ru_maxrss * 1024 > limits_.memoryBytes * 3 / 4;
  if (!limit_.empty()) {
    result = {ChildEnd::Kind::kTimedOut, limit_,
              fmt::format("took more than {:g} seconds of {} ({})", limitSeconds_, limit_,
                          progress_.backend[0] != 0 ? "--backend-seconds" : "--eager-seconds")};
  } else if (WIFSIGNALED(status)) {
    const int number = WTERMSIG(status);
    result = {memoryShort ? ChildEnd::Kind::kOutOfMemory : ChildEnd::Kind::kDied, signalCause(number),
              "ended by signal " + std::to_string(number) + " (" + strsignal(number) + ")"};
  } else if (WIFEXITED(status) && WEXITSTATUS(status) != 0) {
    const std::string number = std::to_string(WEXITSTATUS(status));
    const auto kind = WEXITSTATUS(status) == kGivesUp ? ChildEnd::Kind::kGaveUp : ChildEnd::Kind::kDied;
    result = {memoryShort ? ChildEnd::Kind::kOutOfMemory : kind, "exit " + number, "exited with status " + number};
  } else {
    return {ChildEnd::Kind::kFinished, "exit 0", "exited with status 0"};
  }
  result.processorSeconds = secondsOf(usage.ru_utime) + secondsOf(usage.ru_stime);
  if (result.kind == ChildEnd::Kind::kOutOfMemory) {
    result.message += " after it used up its " + std::to_string(limits_.memoryBytes >> 20) + " MiB of memory";
  }
  result.message += lastErrorLines();
  return result;
}

} // namespace touchstone::worker
