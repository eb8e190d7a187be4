#include "harness/pool/WorkerPool.h"

#include "backends/Registry.h"
#include "base/Interrupt.h"
#include "harness/worker/WorkerMain.h"
#include "program/values/DefaultDevice.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <numeric>
#include <set>

namespace touchstone::pool {

namespace {

constexpr int kTickMilliseconds = 200;

std::filesystem::path ownExecutable() {
  return std::filesystem::read_symlink("/proc/self/exe");
}

} // namespace

struct WorkerPool::Worker {
  ir::Family family;
  WorkerProcess process;
};

/// Where the result of a job goes.
struct WorkerPool::Ticket {
  uint64_t id = 0; // the caller's
  std::vector<worker::JobResult>* results = nullptr; // of a run(); null: the source's
  size_t position = 0;
};

void LimitOptions::applyTo(worker::JobLimits& limits) const {
  limits.eagerSeconds = eagerSeconds.value_or(limits.eagerSeconds);
  limits.backendSeconds = backendSeconds.value_or(limits.backendSeconds);
  limits.limitsAddressSpace = limitsAddressSpace && limits.limitsAddressSpace;
  limits.memoryBytes = memoryMebibytes.has_value() ? *memoryMebibytes << 20 : limits.memoryBytes;
}

void PoolOptions::prepareFor(const language::Case& theCase) {
  if (!values::deviceOf(theCase).is_cpu()) {
    profile.environment.try_emplace(worker::kColdWorkers, "1");
  }
}

WorkerPool::WorkerPool(const PoolOptions& options) : limits_(options.limits) {
  for (const auto& [family, names] : byFamily(options.backends)) {
    start(family, options);
  }
}

WorkerPool::~WorkerPool() = default;

void WorkerPool::start(ir::Family family, const PoolOptions& options) {
  // A parent warmed up with a backend and the rungs of its ladder forks children that can do all of them.
  std::vector<std::string> prepare;
  std::set<std::string> seen;
  const std::vector<std::string> wanted = byFamily(options.backends)[family];
  for (const std::string& name : wanted) {
    std::vector<std::string> names = backends::blamedBefore(backends::backendInfo(name));
    names.push_back(name);
    for (const std::string& each : names) {
      if (seen.insert(each).second) {
        prepare.push_back(each);
      }
    }
  }
  std::vector<std::string> arguments = workerArguments(family, prepare, options.profile, options.program);
  if (family == ir::Family::kNative && !options.nativeWorker.empty()) {
    arguments[0] = options.nativeWorker;
  }
  std::map<std::string, std::string> environment = options.profile.environment;
  if (!options.program.empty()) {
    environment.try_emplace("TOUCHSTONE_PYTHON", ""); // ours; a worker of another build has its own Python
  }
  for (int i = 0; i < options.workersPerFamily; ++i) {
    workers_.push_back(std::unique_ptr<Worker>(new Worker{family, WorkerProcess(arguments, environment)}));
  }
}

void WorkerPool::send(Worker& worker, worker::Batch batch) {
  limits_.applyTo(batch.limits);
  for (const worker::Job& job : batch.jobs) {
    const auto* stages = std::get_if<worker::ShowStagesTask>(&job.task);
    const auto* printed = std::get_if<worker::PrintedCase>(&job.source);
    if ((stages != nullptr && !stages->device.empty()) ||
        (printed != nullptr &&
         printed->text.find(std::string("\n# ") + language::kDeviceHeader + ": ") != std::string::npos)) {
      batch.limits.limitsAddressSpace = false;
    }
  }
  worker.process.send(batch);
}

bool WorkerPool::feedIdleWorkers(bool withSource) {
  bool busy = false;
  for (const auto& worker : workers_) {
    if (worker->process.isIdle()) {
      const auto urgent = std::find_if(urgent_.begin(), urgent_.end(),
                                       [&](const PoolBatch& batch) { return batch.family == worker->family; });
      if (urgent != urgent_.end()) {
        worker::Batch batch = std::move(urgent->batch);
        urgent_.erase(urgent);
        send(*worker, std::move(batch));
      } else if (withSource && source_) {
        if (std::optional<worker::Batch> batch = source_(worker->family)) {
          for (worker::Job& job : batch->jobs) {
            tickets_[nextTicket_] = {job.id, nullptr, 0};
            job.id = nextTicket_++;
          }
          send(*worker, *std::move(batch));
        }
      }
    }
    busy = busy || !worker->process.isIdle();
  }
  return busy;
}

void WorkerPool::collect(int milliseconds) {
  std::vector<pollfd> waited;
  for (const auto& worker : workers_) {
    waited.push_back({worker->process.descriptor(), POLLIN, 0});
  }
  poll(waited.data(), waited.size(), milliseconds);
  if (tick_) {
    tick_();
  }
  for (size_t i = 0; i < workers_.size(); ++i) {
    if (waited[i].revents == 0) {
      continue;
    }
    for (worker::JobResult& result : workers_[i]->process.receive()) {
      const auto found = tickets_.find(result.id);
      if (found == tickets_.end()) {
        continue;
      }
      const Ticket ticket = found->second;
      tickets_.erase(found);
      result.id = ticket.id;
      if (ticket.results != nullptr) {
        (*ticket.results)[ticket.position] = std::move(result);
      } else {
        finished_.push_back(std::move(result));
      }
    }
  }
}

std::vector<worker::JobResult> WorkerPool::run(const std::vector<PoolBatch>& batches) {
  std::vector<worker::JobResult> results = runUntilInterrupted(batches);
  const size_t asked = std::accumulate(batches.begin(), batches.end(), size_t{0},
                                       [](size_t sum, const PoolBatch& each) { return sum + each.batch.jobs.size(); });
  if (results.size() < asked) {
    throw base::Interrupted();
  }
  return results;
}

std::vector<worker::JobResult> WorkerPool::runUntilInterrupted(const std::vector<PoolBatch>& batches) {
  std::vector<worker::JobResult> results;
  const uint64_t first = nextTicket_;
  for (PoolBatch batch : batches) {
    for (worker::Job& job : batch.batch.jobs) {
      tickets_[nextTicket_] = {job.id, &results, static_cast<size_t>(nextTicket_ - first)};
      job.id = nextTicket_++;
    }
    urgent_.push_back(std::move(batch));
  }
  const uint64_t end = nextTicket_; // the source takes tickets, too, from here on
  results.resize(end - first);
  const auto forget = [&] {
    urgent_.clear();
    tickets_.erase(tickets_.lower_bound(first), tickets_.lower_bound(end));
  };
  try {
    while (!base::interruptRequested() && tickets_.lower_bound(first) != tickets_.lower_bound(end)) {
      feedIdleWorkers(/*withSource=*/false); // the next round of what is urgent should find workers idle
      collect(kTickMilliseconds);
    }
  } catch (...) {
    forget();
    throw;
  }
  std::vector<worker::JobResult> finished;
  for (uint64_t ticket = first; ticket < end; ++ticket) {
    if (!tickets_.contains(ticket)) {
      finished.push_back(std::move(results[ticket - first]));
    }
  }
  forget();
  return finished;
}

std::vector<worker::JobResult> WorkerPool::wait() {
  while (finished_.empty() && !base::interruptRequested()) {
    if (!feedIdleWorkers(/*withSource=*/true)) {
      break;
    }
    collect(kTickMilliseconds);
  }
  feedIdleWorkers(/*withSource=*/true);
  return std::exchange(finished_, {});
}

std::vector<worker::JobResult> WorkerPool::takeFinished() {
  feedIdleWorkers(/*withSource=*/true);
  collect(0);
  feedIdleWorkers(/*withSource=*/true);
  return std::exchange(finished_, {});
}

bool WorkerPool::isBusy() const {
  return std::any_of(workers_.begin(), workers_.end(), [](const auto& worker) { return !worker->process.isIdle(); });
}

void WorkerPool::waitForAny(const std::vector<WorkerPool*>& pools) {
  std::vector<pollfd> waited;
  for (const WorkerPool* pool : pools) {
    for (const auto& worker : pool->workers_) {
      waited.push_back({worker->process.descriptor(), POLLIN, 0});
    }
  }
  poll(waited.data(), waited.size(), kTickMilliseconds);
}

std::string WorkerPool::torch() const {
  const auto greeted =
      std::find_if(workers_.begin(), workers_.end(), [](const auto& worker) { return worker->process.isReady(); });
  return greeted == workers_.end() ? "" : (*greeted)->process.torch();
}

std::vector<std::string> WorkerPool::startTroubles() const {
  std::vector<std::string> troubles;
  for (const auto& worker : workers_) {
    for (const std::string& each : worker->process.startTroubles()) {
      if (std::find(troubles.begin(), troubles.end(), each) == troubles.end()) {
        troubles.push_back(each);
      }
    }
  }
  return troubles;
}

std::map<ir::Family, std::vector<std::string>> byFamily(const std::vector<std::string>& backends) {
  std::map<ir::Family, std::vector<std::string>> result;
  for (const std::string& name : backends) {
    result[backends::backendInfo(name).family].push_back(name);
  }
  return result;
}

worker::JobLimits limitsFor(const std::vector<std::string>& backends) {
  worker::JobLimits limits;
  for (const std::string& name : backends) {
    if (backends::backendInfo(name).rules == ir::RuleSet::kInductor) {
      limits.backendSeconds = 120;
    }
  }
  return limits;
}

RunJob runnerOf(WorkerPool& pool, ir::Family family) {
  return [&pool, family](const worker::Job& job) {
    return pool.run({{family, {limitsFor(job.backends), {job}}}}).at(0);
  };
}

std::vector<std::string> workerArguments(ir::Family family, const std::vector<std::string>& prepare,
                                         const worker::Profile& profile, const std::string& program) {
  std::vector<std::string> arguments;
  const std::filesystem::path executable = program.empty() ? ownExecutable() : std::filesystem::path(program);
  if (family == ir::Family::kNative) {
    arguments = {executable, "worker"};
  } else {
    const std::filesystem::path worker = executable.parent_path() / "touchstone-torch-worker";
    if (access(worker.c_str(), X_OK) != 0) {
      throw WorkerUnavailable("The backends `torch:…` need `" + worker.string() +
                              "`, which is not there. Build the target `touchstone-torch-worker`.");
    }
    arguments = {worker};
  }
  if (!prepare.empty()) {
    std::string names;
    for (const std::string& name : prepare) {
      names += (names.empty() ? "" : ",") + name;
    }
    arguments.insert(arguments.end(), {"--prepare", names});
  }
  if (!profile.text.empty()) {
    arguments.insert(arguments.end(), {"--profile", profile.text});
  }
  return arguments;
}

} // namespace touchstone::pool
