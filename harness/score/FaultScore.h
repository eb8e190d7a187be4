#pragma once

#include "graph/ir/BackendInfo.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace touchstone::score {

/// What the ladder says of a fault's stage, held against the fault's row.
enum class Attribution {
  kRight, // that stage alone
  kAmbiguous, // that stage, or others of the same rung
  kElsewhere, // other stages
  kNone, // nothing
};
constexpr int kAttributionCount = static_cast<int>(Attribution::kNone) + 1;
const char* attributionName(Attribution attribution); // `right`

/// How a fault was seen first.
struct Kill {
  uint64_t index = 0; // of the Case
  std::string outcome; // `Differs/values/call 0 output 0`
  std::string shows; // the property or exception class that decided: `Differs/values`
  std::string rung; // the lowest that shows it
  std::string stages; // that this rung stands for: `forward, backward`
  Attribution attribution = Attribution::kNone;
  bool operator==(const Kill&) const = default;
};

/// A Case in which a control is not what it should be.
struct Showing {
  uint64_t index = 0;
  std::string outcome, message;
  bool operator==(const Showing&) const = default;
};

/// What a campaign has made of one fault, or of one control, so far.
struct FaultScore {
  std::string name;
  uint64_t cases = 0; // that it was held against, the killing one included
  uint64_t compiled = 0; // Cases, of these, in which the fault may have changed something
  double seconds = 0; // of a processor: making these Cases, running them eagerly, and judging the fault
  int64_t judged = 0; // Cases that came to a verdict
  int64_t shadowed = 0; // findings that the backend without the fault shows, too
  int64_t unconfirmed = 0; // findings that did not recur
  std::optional<Kill> kill;
  std::vector<Showing> shown; // of a control
  bool operator==(const FaultScore&) const = default;
};

/// The faults of a family, and how far their Cases are.
struct FamilyScore {
  ir::Family family = ir::Family::kNative;
  uint64_t next = 0; // index of the next Case
  int64_t notMade = 0; // Cases on which Touchstone itself failed
  std::vector<FaultScore> faults;
  bool operator==(const FamilyScore&) const = default;
};

/// When the campaign of a fault that nothing kills ends.
struct Budget {
  std::optional<uint64_t> cases;
  double seconds = 10; // of a processor
  uint64_t controlCases = 300; // of a control, whatever they take

  bool isSpent(const FaultScore& score, bool isControl) const;
};

} // namespace touchstone::score
