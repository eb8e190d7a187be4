#pragma once

#include "graph/ir/BackendInfo.h"
#include "harness/pool/WorkerProcess.h"
#include "harness/worker/Profile.h"

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace touchstone::pool {

/// Jobs that run one after the other in one child of a worker of `family`.
struct PoolBatch {
  ir::Family family = ir::Family::kNative;
  worker::Batch batch;
};

/// Limits that a person sets in place of those of limitsFor().
struct LimitOptions {
  std::optional<double> eagerSeconds, backendSeconds; // of the processor
  std::optional<int64_t> memoryMebibytes;
  bool limitsAddressSpace = true; // see JobLimits
  void applyTo(worker::JobLimits& limits) const;
};

struct PoolOptions {
  int workersPerFamily = 1;
  std::vector<std::string> backends; // to be used; decides which families are started and what they prepare
  LimitOptions limits; // of every batch that is sent
  std::string nativeWorker = {}; // executable; empty: `program`
  worker::Profile profile = {};
  std::string program = {}; // a `touchstone` built against another PyTorch, whose workers are used; empty: this one

  /// Makes workers fit for the Case: those of one that lives on a device compile nothing before they fork.
  void prepareFor(const language::Case& theCase);
};

/// The workers of a command. Not thread-safe; everything happens inside run() and wait().
class WorkerPool {
 public:
  explicit WorkerPool(const PoolOptions& options);
  ~WorkerPool();

  /// Where idle workers of a family get their next batch; none: nothing to do at present.
  using Source = std::function<std::optional<worker::Batch>(ir::Family)>;
  void setSource(Source source) { source_ = std::move(source); }
  /// Called at least five times a second while waiting.
  void setTick(std::function<void()> tick) { tick_ = std::move(tick); }

  /// Runs these batches before anything of the source, and waits for them; results in the order of the jobs. Throws
  /// Interrupted, WorkerUnavailable.
  std::vector<worker::JobResult> run(const std::vector<PoolBatch>& batches);
  /// The same, but an interrupt ends it: returns what was finished by then.
  std::vector<worker::JobResult> runUntilInterrupted(const std::vector<PoolBatch>& batches);
  /// Results of the source's jobs, once there are some; none when every worker is idle and the source has nothing, or
  /// after an interrupt.
  std::vector<worker::JobResult> wait();
  /// Results of the source's jobs that are there, without waiting; for whoever serves several pools. isBusy() then says whether
  /// there will be more, and waitForAny() waits until one of the pools has something, or for a tick.
  std::vector<worker::JobResult> takeFinished();
  bool isBusy() const;
  static void waitForAny(const std::vector<WorkerPool*>& pools);
  /// Version of the workers' PyTorch; empty: none has greeted yet.
  std::string torch() const;
  /// What backends of one's own did not get through when workers started, a sentence each, each once.
  std::vector<std::string> startTroubles() const;

 private:
  struct Worker;
  struct Ticket;

  void start(ir::Family family, const PoolOptions& options);
  void send(Worker& worker, worker::Batch batch);
  bool feedIdleWorkers(bool withSource); // false: nobody is at work
  void collect(int milliseconds); // waits no longer

  const LimitOptions limits_;
  std::vector<std::unique_ptr<Worker>> workers_;
  Source source_;
  std::function<void()> tick_;
  std::deque<PoolBatch> urgent_; // ids are tickets
  std::map<uint64_t, Ticket> tickets_;
  uint64_t nextTicket_ = 1;
  std::vector<worker::JobResult> finished_; // of the source
};

/// Asks a worker what a Case does; any number of times.
using RunJob = std::function<worker::JobResult(const worker::Job& job)>;
RunJob runnerOf(WorkerPool& pool, ir::Family family);

/// The command line of a worker of the family; WorkerUnavailable when its executable is not there. `program`: see PoolOptions.
std::vector<std::string> workerArguments(ir::Family family, const std::vector<std::string>& prepare,
                                         const worker::Profile& profile = {}, const std::string& program = {});

/// What the limits of a job under these backends are: compilers that start compilers get more time.
worker::JobLimits limitsFor(const std::vector<std::string>& backends);

/// The backends of each family among the names, in their order; also checks the names (std::invalid_argument).
std::map<ir::Family, std::vector<std::string>> byFamily(const std::vector<std::string>& backends);

} // namespace touchstone::pool
