#include "harness/probing/ProbeGroups.h"

#include "harness/probing/ProbeResults.h"

#include <algorithm>
#include <utility>

namespace touchstone::probing {

namespace {

constexpr int kMostTrust = -2; // after so many agreements one more says nothing

/// The members at all other positions.
std::vector<size_t> without(const std::vector<size_t>& members, const std::vector<size_t>& positions) {
  std::vector<size_t> left;
  for (size_t position = 0; position < members.size(); ++position) {
    if (std::find(positions.begin(), positions.end(), position) == positions.end()) {
      left.push_back(members[position]);
    }
  }
  return left;
}

std::vector<size_t> at(const std::vector<size_t>& members, const std::vector<size_t>& positions) {
  std::vector<size_t> chosen;
  for (const size_t position : positions) {
    chosen.push_back(members.at(position));
  }
  return chosen;
}

} // namespace

GroupAnswer GroupAnswer::of(const worker::JobResult& result) {
  GroupAnswer answer{.kind = Kind::kFailed, .withoutCase = result.making.withoutCase, .apart = result.making.apart};
  if (!result.error.empty()) {
    return answer;
  }
  if (result.making.notApplicable || result.backends.empty()) {
    answer.kind = Kind::kNothing;
    return answer;
  }
  const worker::BackendResult& found = result.backends.front();
  if (found.outcome == language::Outcome::kTimedOut || found.outcome == language::Outcome::kEagerTimedOut) {
    answer.kind = Kind::kTimedOut;
  } else if (found.outcome == language::Outcome::kAgreed && !found.eagerRaises && found.counters.breaks == 0 &&
             found.counters.graphs == 1 && delegationOf(found) != ir::delegationName(ir::DelegationKind::kPartly)) {
    answer.kind = Kind::kAgreed;
  }
  return answer;
}

ProbeGroups::ProbeGroups(const std::vector<worker::Probe>& probes, std::vector<size_t> order, size_t largest)
    : probes_(probes), order_(std::move(order)), largest_(largest), size_(largest) {}

std::optional<ProbeGroups::Trial> ProbeGroups::next(bool beginsNew) {
  if (waiting_.empty() && beginsNew) {
    dealNew();
  }
  if (waiting_.empty()) {
    return std::nullopt;
  }
  const Trial trial{nextId_++, waiting_.front().members};
  underWay_[trial.id] = std::move(waiting_.front());
  waiting_.pop_front();
  return trial;
}

ProbeGroups::Decided ProbeGroups::take(uint64_t id, const GroupAnswer& answer) {
  using Kind = GroupAnswer::Kind;
  const Begun begun = std::move(underWay_.at(id));
  underWay_.erase(id);
  const bool agreed = answer.kind == Kind::kAgreed;
  if (begun.isNew && answer.kind != Kind::kNothing) {
    size_ = agreed ? std::min(largest_, 2 * size_) : std::max<size_t>(1, size_ / 2);
  }
  if (!begun.rest.empty()) {
    agreed ? halve(begun.rest) : tryLater(begun.rest);
  }
  if (begun.members.size() == 1) {
    if (answer.kind != Kind::kNothing) {
      note(begun.members.front(), agreed);
    }
    return {};
  }
  Decided decided{.supported = {}, .notApplicable = at(begun.members, answer.withoutCase)};
  std::vector<size_t> outside = answer.withoutCase;
  outside.insert(outside.end(), answer.apart.begin(), answer.apart.end());
  const std::vector<size_t> inside = without(begun.members, outside);
  tryAlone(at(begun.members, answer.apart));
  switch (answer.kind) {
    case Kind::kAgreed:
      std::for_each(inside.begin(), inside.end(), [&](size_t each) { note(each, true); });
      decided.supported = inside;
      break;
    case Kind::kFailed: halve(inside); break;
    case Kind::kTimedOut: tryAlone(inside); break;
    case Kind::kNothing: break;
  }
  return decided;
}

/// A group of the next probes; operators that would spoil it come alone, before it.
void ProbeGroups::dealNew() {
  std::vector<size_t> group, alone;
  for (; position_ < order_.size() && group.size() < size_; ++position_) {
    const worker::Probe& probe = probes_[order_[position_]];
    if (!group.empty() &&
        (probe.dtype != probes_[group.front()].dtype || probe.backward != probes_[group.front()].backward)) {
      break;
    }
    (isSuspect(probe) ? alone : group).push_back(order_[position_]);
  }
  tryAlone(alone);
  if (!group.empty()) {
    waiting_.push_back({std::move(group), {}, /*isNew=*/true});
  }
}

void ProbeGroups::tryLater(std::vector<size_t> members, std::vector<size_t> rest) {
  waiting_.push_back({std::move(members), std::move(rest), /*isNew=*/false});
}

void ProbeGroups::tryAlone(const std::vector<size_t>& members) {
  for (const size_t each : members) {
    tryLater({each});
  }
}

/// For members some of which are to blame.
void ProbeGroups::halve(const std::vector<size_t>& members) {
  if (members.size() < 2) {
    tryAlone(members);
    return;
  }
  const auto middle = members.begin() + static_cast<std::ptrdiff_t>(members.size() / 2);
  tryLater({members.begin(), middle}, {middle, members.end()});
}

void ProbeGroups::note(size_t probe, bool agreed) {
  int& failures = failures_[probes_[probe].operatorName];
  failures = std::max(kMostTrust, failures + (agreed ? -1 : 1));
}

bool ProbeGroups::isSuspect(const worker::Probe& probe) const {
  const auto found = failures_.find(probe.operatorName);
  return largest_ > 1 && found != failures_.end() && found->second > 0;
}

} // namespace touchstone::probing
