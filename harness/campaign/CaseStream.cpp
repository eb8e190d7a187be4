#include "harness/campaign/CaseStream.h"

#include "backends/Registry.h"
#include "harness/report/Tally.h"

#include <algorithm>
#include <limits>

namespace touchstone::campaign {

namespace {

// About a second of work: a fork costs 11 ms for the torch family, 3 ms for the native one.
uint64_t casesPerBatch(ir::Family family, const std::vector<std::string>& names) {
  if (family == ir::Family::kNative) {
    return 64;
  }
  for (const std::string& name : names) {
    if (backends::backendInfo(name).rules == ir::RuleSet::kInductor) {
      return 1;
    }
  }
  return 8;
}

constexpr uint64_t kSmallBatch = 4;
// A child on a device first starts its driver, and loads each kernel when it first runs: seconds, beside Cases of milliseconds.
constexpr uint64_t kLongerOnDevice = 8;

} // namespace

CaseStream::CaseStream(const FuzzOptions& options, uint64_t seed, StreamOptions stream)
    : seed_(seed),
      sequences_(options.sequences),
      sameCalls_(callsOf(options)),
      parts_(partNamesOf(options)),
      stream_(std::move(stream)),
      start_(options.start + options.shard - 1),
      stride_(options.shards),
      end_(std::numeric_limits<uint64_t>::max()),
      taken_(stream_.first) {
  if (options.cases.has_value()) {
    // The Cases are dealt out to the shards; the first ones get what is left over.
    end_ = *options.cases / stride_ + (options.shard <= *options.cases % stride_ ? 1 : 0);
  }
  uint64_t largest = 1;
  for (auto& [family, names] : pool::byFamily(options.backends)) {
    const uint64_t size = casesPerBatch(family, names) * (options.profile.isOnDevice() ? kLongerOnDevice : 1);
    largest = std::max(largest, size);
    lanes_[family] = {names, pool::limitsFor(names), size, stream_.first};
  }
  furthest_ = 4 * largest * static_cast<uint64_t>(options.workers);
}

std::optional<worker::Batch> CaseStream::next(ir::Family family) {
  const auto found = lanes_.find(family);
  if (stopped_ || found == lanes_.end()) {
    return std::nullopt;
  }
  Lane& lane = found->second;
  if (lane.next >= end_ || lane.next - taken_ >= furthest_) {
    return std::nullopt;
  }
  worker::Batch batch;
  batch.limits = lane.limits;
  // Small ones at first, so that there is soon something to see, and at the end, so that no worker is left with much.
  const uint64_t size =
      std::min({lane.casesPerBatch, lane.next + kSmallBatch, (end_ - lane.next) / kSmallBatch + kSmallBatch});
  const uint64_t end = std::min(end_, lane.next + size);
  for (; lane.next < end; ++lane.next) {
    worker::Job job;
    job.id = lane.next;
    worker::GeneratedCase source{
        .seed = seed_, .index = indexOf(lane.next), .sequences = sequences_, .sameCalls = sameCalls_, .parts = parts_};
    job.backends = lane.backends;
    job.task = worker::JudgeTask{.wantFeatures = stream_.wantFeatures, .skipSuppressions = stream_.skipSuppressions};
    job.wantCase = stream_.wantCases;
    const auto [waiting, isNew] = waiting_.try_emplace(lane.next, Waiting{{}, {}, lanes_.size()});
    if (isNew && stream_.starts) { // the same for every family
      waiting->second.starts = stream_.starts(source.index);
    }
    for (const store::SeedCasePtr& each : waiting->second.starts) {
      source.starts.push_back(each->text);
    }
    job.source = std::move(source);
    batch.jobs.push_back(std::move(job));
  }
  return batch;
}

void CaseStream::add(worker::JobResult result) {
  const auto found = waiting_.find(result.id);
  if (found == waiting_.end()) {
    return;
  }
  Waiting& waiting = found->second;
  if (waiting.missing == lanes_.size()) {
    waiting.result = std::move(result);
  } else {
    report::mergeResults(waiting.result, std::move(result));
  }
  --waiting.missing;
}

std::optional<FinishedCase> CaseStream::take() {
  const auto found = waiting_.find(taken_);
  if (found == waiting_.end() || found->second.missing > 0) {
    return std::nullopt;
  }
  FinishedCase result{indexOf(taken_), taken_, std::move(found->second.starts), std::move(found->second.result)};
  // Whichever family was faster: the order of the families.
  std::stable_sort(result.result.backends.begin(), result.result.backends.end(),
                   [&](const auto& left, const auto& right) {
                     return backends::backendInfo(left.backend).family < backends::backendInfo(right.backend).family;
                   });
  waiting_.erase(found);
  ++taken_;
  return result;
}

} // namespace touchstone::campaign
