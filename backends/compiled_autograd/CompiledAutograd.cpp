#include "backends/compiled_autograd/CompiledAutograd.h"

#include "backends/compiled_autograd/BackwardCache.h"
#include "backends/compiled_autograd/BackwardCapture.h"
#include "backends/compiled_autograd/CaptureLog.h"
#include "backends/compiled_autograd/CompiledSegment.h"
#include "backends/compiled_autograd/EngineHook.h"
#include "backends/compiled_autograd/TaskRun.h"
#include "graph/ir/Unsupported.h"

#include <c10/core/GradMode.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <torch/csrc/autograd/anomaly_mode.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <utility>

namespace touchstone::compiled_autograd {

namespace {

using torch::autograd::variable_list;

/// Gradients that wait have memory of their own: a Graph may write to `.grad`s in another order than it reads.
bool canAllBeTraced(const WaitingGradients& waiting, const BackwardKey& key) {
  return std::all_of(waiting.begin(), waiting.end(), [&](const variable_list& gradients) {
    return std::all_of(gradients.begin(), gradients.end(), [&](const at::Tensor& gradient) {
      return !gradient.defined() ||
             (canBeTraced(gradient) && !key.gradMemories.contains(gradient.storage().unsafeGetStorageImpl()));
    });
  });
}

} // namespace

class CompiledAutograd::Impl {
 public:
  explicit Impl(CompiledAutogradOptions options) : options_(std::move(options)) {}

  variable_list run(const BackwardTask& task, size_t places, const at::ThreadLocalState& state);

  CompiledAutogradCounts counts() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return counts_;
  }
  const BackwardCache& cache() const { return cache_; }
  void reset() {
    TORCH_CHECK(running_ == 0, "compiled autograd is reset inside a backward that goes through it");
    cache_.clear();
    const std::lock_guard<std::mutex> lock(mutex_);
    counts_ = {};
  }

 private:
  /// One backward on its way through what is compiled.
  struct Way {
    const BackwardTask& task;
    BackwardKey& key;
    SpecializedBackward& compiled;
    std::string reason; // of a miss
    std::vector<std::string> reasonByNode = {};
    std::vector<LiftedNumbers> alike = {}; // see BackwardCache::Found
    bool captures = false;
    bool ranOtherCode = false; // hooks and nodes, which may have changed what the key was made of
    bool isStale = false; // they have: what is left runs eagerly
  };
  static bool isEagerNode(const Way& way, size_t node);
  std::shared_ptr<const Segment> segmentFrom(Way& way, size_t begin, bool areHooksCalled, const TaskRun& run);
  void capture(Way& way, const CaptureStart& start, const TaskRun& run);
  std::shared_ptr<const SymbolicBackward> symbolicOf(Way& way, const CaptureStart& start, const TaskRun& run,
                                                     std::set<size_t>& eager);
  void log(const std::string& line) const {
    if (options_.log) {
      options_.log(line);
    }
    if (CaptureListener* listener = currentCaptureListener()) {
      listener->onNote(line);
    }
  }
  template <class Change>
  void count(const Change& change) {
    const std::lock_guard<std::mutex> lock(mutex_);
    change(counts_);
  }

  const CompiledAutogradOptions options_;
  BackwardCache cache_;
  mutable std::mutex mutex_;
  CompiledAutogradCounts counts_;
  std::atomic<int> running_ = 0;
};

variable_list CompiledAutograd::Impl::run(const BackwardTask& task, size_t places, const at::ThreadLocalState& state) {
  struct Running {
    explicit Running(std::atomic<int>& count) : count_(count) { ++count_; }
    ~Running() { --count_; }
    std::atomic<int>& count_;
  } running(running_);
  count([](CompiledAutogradCounts& counts) { ++counts.backwards; });
  TaskRun run(task, places, state);
  BackwardKey key = keyOf(task);
  BackwardCache::Found found;
  if (key.isTraceable) {
    found = cache_.findOrAdd(task, key, options_.recompileLimit, currentCaptureListener() != nullptr);
  }
  if (found.backward == nullptr) {
    log(key.isTraceable ? "runs eagerly: it was compiled as often as it may be"
                        : "runs eagerly: a tensor is not strided, "
                          "or lies in the memory of a `.grad`, or a node has too many edges for a key");
    key = {};
    count([&](CompiledAutogradCounts& counts) { counts.eagerNodes += static_cast<int64_t>(task.nodes.size()); });
    for (size_t at = 0; at < task.nodes.size(); ++at) {
      run.runEagerly(at);
    }
    return run.take();
  }
  Way way{
      task, key, *found.backward, std::move(found.reasonOfMiss), std::move(found.missByNode), std::move(found.alike)};
  for (size_t at = 0; at < task.nodes.size();) {
    const KeyedNode keyed = key.nodes[at];
    const bool runs = task.nodes[at].runs;
    const bool isEager = way.isStale || (runs ? isEagerNode(way, at) : keyed.isHooked);
    const bool areHooksCalled = !isEager && (keyed.isHooked || (runs && keyed.preHooks > 0));
    if (areHooksCalled) {
      run.callHooksBefore(at);
      way.ranOtherCode = true;
    }
    const std::shared_ptr<const Segment> segment = isEager ? nullptr : segmentFrom(way, at, areHooksCalled, run);
    if (segment == nullptr) {
      count([](CompiledAutogradCounts& counts) { ++counts.eagerNodes; });
      if (areHooksCalled) {
        run.runBehindHooks(at);
      } else {
        run.runEagerly(at);
      }
      way.ranOtherCode = true;
      ++at;
      continue;
    }
    const auto compiled =
        compiledOf(*segment, key, run.waiting(), options_, [this](const std::string& line) { log(line); });
    if (segment->graph.operatorCount() > 0) {
      count([](CompiledAutogradCounts& counts) { ++counts.compiledRuns; });
    }
    run.runSegment(*segment, *compiled, key);
    way.ranOtherCode = way.ranOtherCode || segment->endsBeforeHooks;
    at = segment->end;
  }
  return run.take();
}

bool CompiledAutograd::Impl::isEagerNode(const Way& way, size_t node) {
  return way.key.nodes[node].runsEagerly || way.compiled.eagerNodes().contains(node);
}

std::shared_ptr<const Segment> CompiledAutograd::Impl::segmentFrom(Way& way, size_t begin, bool areHooksCalled,
                                                                   const TaskRun& run) {
  if (!canAllBeTraced(run.waiting(), way.key)) {
    return nullptr;
  }
  auto known = way.compiled.find(begin, areHooksCalled, run.waiting());
  const size_t end = known == nullptr ? way.task.nodes.size() : known->end;
  if (way.ranOtherCode && !isUnchanged(way.task, way.key, begin, end)) {
    log("a hook has changed what is still to be read: the rest runs eagerly");
    way.isStale = true;
    way.key.tensors().clear(); // nodes free what they have saved as they run
    return nullptr;
  }
  if (known != nullptr) {
    return known;
  }
  if (way.compiled.countFrom(begin) >= options_.recompileLimit) {
    log(way.compiled.origins()[begin] + " runs eagerly: what follows was compiled as often as it may be");
    return nullptr;
  }
  capture(way, {.begin = begin, .areHooksCalled = areHooksCalled}, run);
  return way.compiled.find(begin, areHooksCalled, run.waiting());
}

void CompiledAutograd::Impl::capture(Way& way, const CaptureStart& start, const TaskRun& run) {
  const std::vector<std::string>& origins = way.compiled.origins();
  const std::set<size_t> eagerBefore = way.compiled.eagerNodes();
  std::set<size_t> eager = eagerBefore;
  const bool isFirst = !std::exchange(way.captures, true);
  if (isFirst) {
    if (way.reason.empty()) {
      way.reason = "a hook gave a gradient of another kind than in what is compiled";
    }
    if (options_.log) {
      options_.log("cache miss: " + way.reason);
    }
    if (CaptureListener* listener = currentCaptureListener()) {
      listener->onMiss(way.reason, way.reasonByNode);
    }
  }
  BackwardGraph graph;
  if (const auto symbolic = symbolicOf(way, start, run, eager)) {
    graph = symbolic->graphAt(symbolic->symbols().hints());
  } else {
    graph = captureBackward(way.task, way.key, run.waiting(), start, eager);
  }
  int64_t number = 0;
  count([&](CompiledAutogradCounts& counts) {
    if (isFirst) {
      ++counts.captures;
      counts.misses.push_back(way.reason);
    }
    number = counts.captures - 1;
    ++counts.graphs;
    for (const Segment& segment : graph.segments) {
      counts.operations += segment.graph.operatorCount();
    }
  });
  if (CaptureListener* listener = currentCaptureListener()) {
    listener->onGraph(number, {graph.whole, origins});
  }
  for (const size_t node : eager) {
    if (!eagerBefore.contains(node)) {
      log(origins[node] + " is not traceable and runs eagerly");
    }
  }
  for (const Segment& segment : graph.segments) {
    log(fmt::format("traced {} to {}: {} operators", origins[segment.begin], origins[segment.end - 1],
                    segment.graph.operatorCount()));
  }
  way.compiled.addEagerNodes(eager);
  way.compiled.add(std::move(graph));
}

/// Null: sizes stay numbers.
std::shared_ptr<const SymbolicBackward> CompiledAutograd::Impl::symbolicOf(Way& way, const CaptureStart& start,
                                                                           const TaskRun& run,
                                                                           std::set<size_t>& eager) {
  const bool isWhole = start.begin == 0 && !start.areHooksCalled &&
                       std::all_of(run.waiting().begin(), run.waiting().end(), [](const variable_list& gradients) {
                         return std::none_of(gradients.begin(), gradients.end(),
                                             [](const at::Tensor& gradient) { return gradient.defined(); });
                       });
  const std::vector<LiftedNumbers> alike = std::exchange(way.alike, {});
  if (!options_.makesSymbols || !isWhole || alike.empty()) {
    return nullptr;
  }
  std::string reason;
  for (const auto search : {BackwardSymbols::Search::kSimple, BackwardSymbols::Search::kWide}) {
    for (const auto least : {BackwardSymbols::Least::kTwo, BackwardSymbols::Least::kWhatIsThere}) {
      try {
        std::set<size_t> found = eager;
        auto symbolic = captureForSymbols(way.task, way.key, BackwardSymbols(alike, search, least), found);
        eager = std::move(found);
        cache_.addSymbolic(way.key, symbolic);
        log(fmt::format("captured for symbols: {}", fmt::join(symbolic->symbols().text(), ", ")));
        log(symbolic->text());
        return symbolic;
      } catch (const std::exception& error) { // for the sizes that there are it is captured below, or raises there
        reason = reason.empty() ? error.what() : reason;
      }
    }
  }
  cache_.addSymbolic(way.key, nullptr);
  log("sizes stay numbers: " + reason);
  return nullptr;
}

CompiledAutograd::CompiledAutograd(CompiledAutogradOptions options)
    : impl_(std::make_shared<Impl>(std::move(options))) {}

CompiledAutograd::~CompiledAutograd() = default;

CompiledAutogradCounts CompiledAutograd::counts() const {
  return impl_->counts();
}

std::vector<ir::CapturedBackward> CompiledAutograd::captured() const {
  std::vector<ir::CapturedBackward> captured;
  for (const auto& backward : impl_->cache().all()) {
    for (ir::Graph& graph : backward->graphs()) {
      captured.push_back({std::move(graph), backward->origins()});
    }
  }
  return captured;
}

void CompiledAutograd::reset() {
  impl_->reset();
}

torch::autograd::variable_list runBackwardOfEngine(const values::NodePtr& root, const torch::autograd::GraphTask& task,
                                                   size_t places) {
  const at::ThreadLocalStateGuard guard(task.thread_locals_);
  const BackwardTask planned = planTask(root, task);
  const std::shared_ptr<CompiledAutograd> scope = currentCompiledAutograd();
  const bool isTraced =
      c10::impl::tls_is_dispatch_key_included(c10::DispatchKey::Fake); // on tensors that have no memory
  variable_list results;
  if (scope == nullptr || isTraced) {
    TaskRun run(planned, places, task.thread_locals_);
    for (size_t at = 0; at < planned.nodes.size(); ++at) {
      run.runEagerly(at);
    }
    results = run.take();
  } else {
    if (c10::GradMode::is_enabled()) {
      throw ir::Unsupported("compiled autograd does not support create_graph=True: what it runs records no gradients");
    }
    if (torch::autograd::AnomalyMode::is_enabled()) {
      throw ir::Unsupported("compiled autograd does not support anomaly mode: nodes of a Graph do not run one by one");
    }
    results = scope->impl().run(planned, places, task.thread_locals_);
  }
  // The engine's own are run by the engine, behind its own loop (GraphTask::exec_post_processing).
  auto& callbacks = const_cast<torch::autograd::GraphTask&>(task).final_callbacks_;
  for (size_t i = 0; i < callbacks.size(); ++i) { // one may queue another
    callbacks[i]();
  }
  callbacks.clear();
  return results;
}

} // namespace touchstone::compiled_autograd
