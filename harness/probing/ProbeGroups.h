#pragma once

#include "harness/worker/Job.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace touchstone::probing {

/// What came of a Case that holds some probes.
struct GroupAnswer {
  enum class Kind {
    kAgreed, // and so would each probe have, had it been alone: see GroupAnswer::of()
    kFailed,
    kTimedOut,
    kNothing, // the Case holds none of them
  };
  Kind kind = Kind::kFailed;
  std::vector<size_t> withoutCase, apart; // see worker::CaseMaking

  /// A Case says something of each of its probes when eager never raised in it, and when the whole Program was one graph,
  /// without a break, which ran again with other values: no probe was left to eager behind its neighbours' back.
  static GroupAnswer of(const worker::JobResult& result);
};

/// Deals probes out in groups that share a Case, and searches for those to blame where the Case is not as eager's. Only probes
/// alone get anything but `supported`. Knows no workers: whoever asks says what came of each Case.
///
/// Groups are of probes that follow each other in the given order and have a dtype and a pass in common. They get smaller
/// while groups fail and larger while they agree, and an operator that fails alone more often than not comes alone.
/// A group that failed is halved, as in binary search: where one half agrees, the other is to blame, and is halved untried;
/// where it fails, nothing is known of the other. One that ran out of time is dealt out anew, one by one.
class ProbeGroups {
 public:
  struct Trial {
    uint64_t id = 0;
    std::vector<size_t> members; // indices of probes; one: it is alone
  };
  struct Decided {
    std::vector<size_t> supported, notApplicable;
  };

  /// `order`: indices of `probes`, which outlive this. `largest`: probes of a group; 1: all come alone.
  ProbeGroups(const std::vector<worker::Probe>& probes, std::vector<size_t> order, size_t largest);

  /// What to try next; none: nothing, unless something comes of the trials that are under way. Without `beginsNew` only what
  /// is left of groups that were begun.
  std::optional<Trial> next(bool beginsNew = true);
  /// What came of a trial; returns what is known of its members by that. Of one that was alone nothing: its result tells.
  Decided take(uint64_t id, const GroupAnswer& answer);

 private:
  struct Begun {
    std::vector<size_t> members;
    std::vector<size_t> rest; // the other half of a group that failed
    bool isNew = false; // and no part of a group
  };

  void dealNew();
  void tryLater(std::vector<size_t> members, std::vector<size_t> rest = {});
  void tryAlone(const std::vector<size_t>& members);
  void halve(const std::vector<size_t>& members);
  void note(size_t probe, bool agreed);
  bool isSuspect(const worker::Probe& probe) const;

  const std::vector<worker::Probe>& probes_;
  const std::vector<size_t> order_;
  const size_t largest_;
  size_t size_; // of the next group
  size_t position_ = 0; // in order_, of what was not dealt out yet
  uint64_t nextId_ = 0;
  std::deque<Begun> waiting_;
  std::map<uint64_t, Begun> underWay_;
  std::map<std::string, int> failures_; // of operators: how much more often each failed alone than it agreed
};

} // namespace touchstone::probing
