#pragma once

#include "program/values/Value.h"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace touchstone::capture {

/// The sizes and ints for which a place was captured. What has changed from one capture to the next is dynamic from then on:
/// torch.compile's automatic dynamic shapes (torch/_dynamo/pgo.py).
class SizeHistory {
 public:
  void note(const std::vector<std::string>& names, const values::ValueList& locals);
  bool isAny() const { return !dynamic_.empty(); }
  /// `source`: `L['x'].size()[0]`, `L['n']`.
  bool isDynamic(const std::string& source) const { return dynamic_.contains(source); }

 private:
  std::map<std::string, int64_t> last_;
  std::map<std::string, int64_t> ranks_; // of tensors, as first seen
  std::set<std::string> changedRank_; // their sizes are dynamic
  std::set<std::string> dynamic_;
};

} // namespace touchstone::capture
