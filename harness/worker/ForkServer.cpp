#include "harness/worker/ForkServer.h"

#include "harness/worker/Child.h"

#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <deque>
#include <iterator>
#include <new>
#include <stdexcept>

namespace touchstone::worker {

namespace {

using language::Outcome;

/// A job on its way, with what earlier children have settled of it.
struct PendingJob {
  Job job; // `backends`: those still to be judged
  std::vector<std::string> order; // all backends, as the client asked
  std::vector<BackendResult> settled;
  bool alone = false; // runs in a child of its own: it failed in a way that its neighbours may have caused
  bool settledEager = false; // eager is the one that died; only the text is still to be fetched
};

class BatchServer {
 public:
  BatchServer(int output, const JobRunner& run, const ForkHooks& hooks) : output_(output), run_(run), hooks_(hooks) {
    void* memory = mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
      throw std::runtime_error("Cannot map memory to be shared with the workers.");
    }
    progress_ = new (memory) Progress{};
  }

  void serve(Batch batch) {
    limits_ = batch.limits;
    for (Job& job : batch.jobs) {
      pending_.push_back({job, job.backends, {}, false, false});
    }
    while (!pending_.empty()) {
      runOneChild();
    }
  }

 private:
  void runOneChild() {
    std::vector<Job> jobs;
    for (const PendingJob& pending : pending_) {
      if (pending.alone && !jobs.empty()) {
        break;
      }
      jobs.push_back(pending.job);
      if (pending.alone) {
        break;
      }
    }
    Child child(jobs, limits_, run_, hooks_, *progress_);
    int finished = 0;
    for (std::vector<std::string> lines = child.nextLines(); !lines.empty(); lines = child.nextLines()) {
      for (const std::string& line : lines) {
        report(line);
        ++finished;
      }
    }
    ChildEnd end = child.end();
    if (finished < static_cast<int>(jobs.size())) {
      if (end.kind == ChildEnd::Kind::kFinished) {
        end.kind = ChildEnd::Kind::kDied; // left in the middle with a friendly face
      }
      settleDeath(end, progress_->job == finished);
    }
  }

  void report(const std::string& line) {
    PendingJob pending = std::move(pending_.front());
    pending_.pop_front();
    if (pending.settled.empty()) {
      write(line);
      return;
    }
    JobResult result = resultFromLine(line);
    std::move(result.backends.begin(), result.backends.end(), std::back_inserter(pending.settled));
    result.backends = std::move(pending.settled);
    std::sort(result.backends.begin(), result.backends.end(), [&](const auto& left, const auto& right) {
      const auto place = [&](const std::string& name) {
        return std::find(pending.order.begin(), pending.order.end(), name);
      };
      return place(left.backend) < place(right.backend);
    });
    write(resultLine(result));
  }

  void settleDeath(const ChildEnd& end, bool duringJob) {
    PendingJob& victim = pending_.front();
    const bool timedOut = end.kind == ChildEnd::Kind::kTimedOut;
    if (!victim.alone && (timedOut || !duringJob || end.kind == ChildEnd::Kind::kGaveUp)) {
      victim.alone = true;
      return;
    }
    const std::string backend = duringJob ? progress_->backend : "";
    if (victim.settledEager || victim.job.backends.empty()) {
      // Even the text cannot be had: what is settled is reported, and, where no outcome tells it, why there is no more.
      JobResult result;
      result.id = victim.job.id;
      if (!victim.settledEager) {
        result.error = "The process that read the Case " + end.message + " in " + progress_->place() + ".";
      }
      report(resultLine(result));
      return;
    }
    if (backend.empty()) {
      for (const std::string& name : victim.job.backends) {
        victim.settled.push_back(death(name, timedOut ? Outcome::kEagerTimedOut : Outcome::kEagerCrashed, end));
      }
      victim.settledEager = true;
      victim.job.backends.clear();
    } else if (const std::string rung = progress_->rung; !rung.empty() && !victim.job.leavesOut(rung)) {
      victim.job.withoutRungs.push_back(rung);
      return;
    } else {
      const Outcome outcome = timedOut                                   ? Outcome::kTimedOut
                              : end.kind == ChildEnd::Kind::kOutOfMemory ? Outcome::kOutOfMemory
                                                                         : Outcome::kCrashed;
      victim.settled.push_back(death(backend, outcome, end));
      if (std::erase(victim.job.backends, backend) == 0) {
        victim.job.backends.clear(); // a task that compares with a backend of its own ends with it
      }
    }
    victim.job.wantCase = true;
    if (victim.settledEager && std::holds_alternative<JudgeTask>(victim.job.task)) {
      victim.job.task = MakeTask{};
    }
  }

  BackendResult death(const std::string& backend, Outcome outcome, const ChildEnd& end) const {
    BackendResult result;
    result.backend = backend;
    result.outcome = outcome;
    result.text = language::outcomeName(outcome);
    result.detail = progress_->place();
    result.call = std::max(0, progress_->call.load());
    result.processorSeconds = std::max(0.0, end.processorSeconds - progress_->cpuAtStart);
    const std::string where = progress_->step[0] != 0 ? progress_->step : progress_->phase;
    result.symptom = result.text + "/" + end.cause + "/" + where;
    result.message = "The process " + end.message + " in " + result.detail + ".";
    if (language::isFinding(outcome)) {
      result.shows = {result.text};
      result.origin = backend;
    }
    return result;
  }

  void write(const std::string& line) {
    const std::string text = line + "\n";
    size_t written = 0;
    while (written < text.size()) {
      const ssize_t count = ::write(output_, text.data() + written, text.size() - written);
      if (count < 0 && errno == EINTR) {
        continue;
      }
      if (count <= 0) {
        throw std::runtime_error("Nobody reads the results any more.");
      }
      written += static_cast<size_t>(count);
    }
  }

  const int output_;
  const JobRunner& run_;
  const ForkHooks& hooks_;
  JobLimits limits_;
  Progress* progress_;
  std::deque<PendingJob> pending_;
};

bool readLine(int input, std::string& buffer, std::string& line) {
  size_t end;
  while ((end = buffer.find('\n')) == std::string::npos) {
    char bytes[65536];
    const ssize_t count = read(input, bytes, sizeof(bytes));
    if (count < 0 && errno == EINTR) {
      continue;
    }
    if (count <= 0) {
      return false;
    }
    buffer.append(bytes, static_cast<size_t>(count));
  }
  line = buffer.substr(0, end);
  buffer.erase(0, end + 1);
  return true;
}

} // namespace

int serveJobs(int input, int output, const JobRunner& run, const ForkHooks& hooks) {
  signal(SIGPIPE, SIG_IGN);
  try {
    BatchServer server(output, run, hooks);
    std::string buffer, line;
    while (readLine(input, buffer, line)) {
      server.serve(batchFromLine(line));
    }
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "touchstone worker: %s\n", error.what());
    return 5;
  }
}

} // namespace touchstone::worker
