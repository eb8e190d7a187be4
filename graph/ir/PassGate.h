#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace touchstone::ir {

/// The passes that ask a gate.
inline constexpr std::array kPasses{"decompositions", "dead_code",    "cse",
                                    "recomputation",  "saved_values", "relu_to_add"};

/// Numbers the places at which passes change Graphs, from 1 in the order in which they are reached, and lets one pass stop
/// after so many of them: what a bisector turns. It lives in the options of one compile; nothing is shared between two.
/// Thread-safe.
class PassGate {
 public:
  /// Every pass applies everywhere; the applications are counted.
  PassGate() = default;
  /// The same, but that `pass` applies at its first `limit` places only.
  PassGate(std::string pass, int64_t limit) : stopped_(std::move(pass)), limit_(limit) {}

  /// To be asked right before `pass` changes a Graph at a place; false: leave it as it is. `where` is for a person: the
  /// node that changes.
  bool mayApply(const std::string& pass, const std::string& where);

  /// How often each pass has asked, in the order in which they asked first.
  std::vector<std::pair<std::string, int64_t>> counts() const;
  /// Where the stopped pass applied last; empty: nowhere.
  std::string last() const;

 private:
  const std::string stopped_;
  const int64_t limit_ = 0;
  mutable std::mutex mutex_;
  std::vector<std::pair<std::string, int64_t>> counts_;
  std::string last_;
};

/// The first application that turns agreement into difference.
struct PassFault {
  std::string pass;
  int64_t number = 0; // from 1
  std::string where;
};

/// What a run under a gate has shown.
struct GatedRun {
  bool differs = false;
  std::vector<std::pair<std::string, int64_t>> counts; // of the gate
  std::string last;
};
/// Runs everything anew: with all passes where `pass` is empty, else with the first `limit` applications of it.
using RunGated = std::function<GatedRun(const std::string& pass, int64_t limit)>;

/// Looks for a pass without which the difference is gone, in the order in which passes run, and for the first of its
/// applications that makes it, by halving (the way of torch/_inductor/compiler_bisector.py). None: nothing differs, or it
/// differs without any one pass.
std::optional<PassFault> bisectPasses(const RunGated& run);

} // namespace touchstone::ir
