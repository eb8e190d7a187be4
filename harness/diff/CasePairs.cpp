#include "harness/diff/CasePairs.h"

#include "base/ExitStatus.h"
#include "base/Interrupt.h"
#include "harness/worker/Progress.h"
#include "program/standalone/CaseFile.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <utility>

namespace touchstone::diff {

namespace {

using nlohmann::json;

constexpr uint64_t kGeneratedAtOnce = 64;
constexpr uint64_t kGeneratedAhead = 8 * kGeneratedAtOnce; // of what was judged

/// About a second of work.
uint64_t casesPerBatchOf(const DiffSide& side) {
  if (side.family == ir::Family::kNative) {
    return 64;
  }
  return side.info.rules == ir::RuleSet::kInductor ? 1 : 4;
}

/// The keys of the profile that steer how Cases are made, and nothing else.
json generatingKeys(const worker::Profile& profile) {
  const json object = profile.text.empty() ? json::object() : json::parse(profile.text);
  json kept = json::object();
  for (const std::string& name : profile.generating()) {
    kept[name] = object.at(name);
  }
  return kept;
}

worker::Profile generatingProfile(const DiffSide& left, const DiffSide& right) {
  const json leftKeys = generatingKeys(left.profile), rightKeys = generatingKeys(right.profile);
  if (!leftKeys.empty() && !rightKeys.empty() && leftKeys != rightKeys) {
    throw base::WrongUse(fmt::format(
        "The profiles of both sides steer how Cases are made, and differently: {} on the left, {} on the "
        "right. Both sides judge the same Cases, so make these keys the same or leave them out on one side.",
        leftKeys.dump(), rightKeys.dump()));
  }
  return worker::readProfile(leftKeys.empty() ? rightKeys : leftKeys, "the profile that steers how Cases are made");
}

} // namespace

CasePairs::CasePairs(CaseSelection selection, DiffSide& left, DiffSide& right)
    : selection_(std::move(selection)),
      lanes_{Lane{&left, casesPerBatchOf(left)}, Lane{&right, casesPerBatchOf(right)}} {
  for (const pool::CaseFile& file : selection_.files) {
    Entry& entry = entries_.emplace_back();
    entry.pair.name = file.path;
    entry.pair.text = standalone::printCase(file.content);
    entry.made = true;
  }
  if (selection_.files.empty()) {
    pool::PoolOptions pool;
    pool.backends = {"eager"}; // the native family generates fastest
    pool.profile = generatingProfile(left, right);
    pool.program = left.program;
    generator_ = std::make_unique<pool::WorkerPool>(pool);
    generator_->setSource([this](ir::Family) { return nextGenerated(); });
  }
  for (size_t lane = 0; lane < lanes_.size(); ++lane) {
    lanes_[lane].side->pool->setSource([this, lane](ir::Family) { return nextJudged(lane); });
  }
}

CasePairs::~CasePairs() {
  for (const Lane& lane : lanes_) {
    lane.side->pool->setSource(nullptr);
    lane.side->pool->setTick(nullptr);
  }
}

/// Starting workers takes seconds, and is not counted.
bool CasePairs::isOver() const {
  return selection_.seconds.has_value() && begin_.has_value() && worker::wallSeconds() - *begin_ > *selection_.seconds;
}

bool CasePairs::generatesNoMore() {
  ended_ = ended_ || generator_ == nullptr || (selection_.cases.has_value() && asked_ >= *selection_.cases) || isOver();
  return ended_;
}

std::optional<worker::Batch> CasePairs::nextGenerated() {
  if (generatesNoMore() || asked_ - first_ >= kGeneratedAhead) {
    return std::nullopt;
  }
  worker::Batch batch;
  const uint64_t end = std::min(asked_ + kGeneratedAtOnce, selection_.cases.value_or(asked_ + kGeneratedAtOnce));
  for (; asked_ < end; ++asked_) {
    worker::Job& job = batch.jobs.emplace_back();
    job.id = asked_;
    const uint64_t index = selection_.start + asked_;
    job.source = worker::GeneratedCase{
        .seed = selection_.seed, .index = index, .sameCalls = selection_.sameCalls, .parts = selection_.parts};
    job.wantCase = true;
    job.task = worker::MakeTask{};
    entries_.emplace_back().pair.name = fmt::format("seed {} case {}", selection_.seed, index);
  }
  return batch;
}

std::optional<worker::Batch> CasePairs::nextJudged(size_t number) {
  Lane& lane = lanes_[number];
  const uint64_t known = first_ + entries_.size();
  const uint64_t end = std::min(known, lane.next + lane.casesPerBatch);
  const bool isFirst = lane.next == 0; // is judged on both sides, however little time there is
  if ((isOver() && !isFirst) || lane.next >= end || (end - lane.next < lane.casesPerBatch && !generatesNoMore())) {
    return std::nullopt;
  }
  for (uint64_t position = lane.next; position < end; ++position) {
    if (!isMade(position)) {
      return std::nullopt;
    }
  }
  begin_ = begin_.value_or(worker::wallSeconds());
  worker::Batch batch;
  batch.limits = lane.side->limits;
  for (; lane.next < end; ++lane.next) {
    Entry& entry = entryOf(lane.next);
    if (entry.pair.text.empty()) {
      entry.judged[number] = true; // there is nothing to judge
      continue;
    }
    batch.jobs.push_back(lane.side->job(entry.pair.text, /*observe=*/true));
    batch.jobs.back().id = lane.next;
  }
  return batch.jobs.empty() ? std::nullopt : std::optional(std::move(batch));
}

void CasePairs::takeGenerated(worker::JobResult result) {
  Entry& entry = entryOf(result.id);
  entry.made = true;
  entry.pair.text = std::move(result.caseText);
  entry.pair.error = std::move(result.error);
}

void CasePairs::takeJudged(size_t lane, worker::JobResult result) {
  Entry& entry = entryOf(result.id);
  entry.judged[lane] = true;
  (lane == 0 ? entry.pair.left : entry.pair.right) = std::move(result);
}

bool CasePairs::takeAll() {
  bool any = false;
  if (generator_ != nullptr) {
    for (worker::JobResult& result : generator_->takeFinished()) {
      takeGenerated(std::move(result));
      any = true;
    }
  }
  for (size_t lane = 0; lane < lanes_.size(); ++lane) {
    const DiffSide& side = *lanes_[lane].side;
    try {
      for (worker::JobResult& result : side.pool->takeFinished()) {
        takeJudged(lane, std::move(result));
        any = true;
      }
    } catch (const pool::WorkerUnavailable& unavailable) {
      throw pool::WorkerUnavailable(fmt::format("The {} side, {}: {}", side.label, side.name(), unavailable.what()));
    }
  }
  return any;
}

std::optional<CasePair> CasePairs::next(const std::function<void()>& tick) {
  std::vector<pool::WorkerPool*> pools;
  for (const Lane& lane : lanes_) {
    pools.push_back(lane.side->pool.get());
    lane.side->pool->setTick(tick); // while what was found is confirmed and reduced
  }
  if (generator_ != nullptr) {
    pools.push_back(generator_.get());
  }
  while (!base::interruptRequested()) {
    if (!entries_.empty() && entries_.front().judged[0] && entries_.front().judged[1]) {
      CasePair pair = std::move(entries_.front().pair);
      entries_.pop_front();
      ++first_;
      return pair;
    }
    if (takeAll()) {
      continue;
    }
    const bool isBusy =
        std::any_of(pools.begin(), pools.end(), [](const pool::WorkerPool* pool) { return pool->isBusy(); });
    if (generatesNoMore() && (entries_.empty() || (isOver() && !isBusy))) {
      return std::nullopt; // what one side alone has judged is left out
    }
    if (isBusy) {
      pool::WorkerPool::waitForAny(pools);
    }
    tick();
  }
  return std::nullopt;
}

} // namespace touchstone::diff
