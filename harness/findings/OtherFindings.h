#pragma once

#include "harness/worker/Job.h"
#include "program/language/Case.h"

#include <string_view>
#include <vector>

namespace touchstone::findings {

/// A candidate of a reduction that failed in another way: not confirmed, and not looked for under weaker pipelines.
struct OtherFinding {
  language::Case theCase;
  worker::BackendResult result;
};

/// What stands between the Case and the finding in `seed 7 case 12, while reducing ID`, which such a finding is found by.
inline constexpr std::string_view kWhileReducing = ", while reducing ";

/// What a reduction meets beside its way: the first candidate of each other symptom, up to 8. Which these are does not depend on
/// time or on the number of workers.
class OtherFindings {
 public:
  void add(const language::Case& candidate, const worker::BackendResult& result);
  const std::vector<OtherFinding>& all() const { return all_; }

 private:
  std::vector<OtherFinding> all_;
};

} // namespace touchstone::findings
