#pragma once

#include "harness/conformance/Levels.h"
#include "harness/worker/BackendResult.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace touchstone::conformance {

/// One thing that was seen to go wrong: a probe, a reduced finding of a campaign, or the program that workers start with.
struct Observation {
  Level level = Level::kValues;
  worker::BackendResult result; // of `caseText`
  std::string caseText; // empty: of the start
  std::vector<std::string> operators; // of what is reduced in the order of its text; of a probe the one
  std::string dtype; // of a probe; empty: of a Program
  int64_t seen = 1; // probes or Cases that came down to it
  bool isBeside = false; // of a probe that shows something else first: it is neither confirmed nor reduced by itself
  bool isReduced = false;

  bool isProbe() const { return !dtype.empty(); }
};

/// One reason why a backend is not as eager, however many Programs show it.
struct Cause {
  std::string id; // of what tells it from others: the same again in another run
  std::string title; // `raises NotImplementedError: tidy does not take float64`
  Level level = Level::kValues; // the lowest at which it shows
  bool isRefusal = false; // it raises where eager returns: what is refused is not wrong
  std::vector<size_t> members; // of the observations; the one to show first
  std::vector<std::string> operators, dtypes; // each once
  int64_t probes = 0, cases = 0; // that showed it
};

/// Of a probe that was judged: what the share of those that fail alike is taken of.
struct JudgedProbe {
  std::string operatorName, dtype;
};

/// Puts together what has one cause, as far as what is seen tells.
///
/// Exceptions are told apart by class and text without numbers, dtypes, paths and names of operators; deaths by how the process
/// ended. A difference of values, gradients, dtypes or sizes in a first call belongs to its operator; where two of five probes
/// of a dtype have it, to the dtype, and where half of all operators have it, to none. A difference in anything else, or in a later
/// call, belongs to no operator. Worst first.
std::vector<Cause> causesOf(const std::vector<Observation>& observations, const std::vector<JudgedProbe>& judged);

/// What goes wrong, without where: `wrong values in a later call`.
std::string titleOf(const Observation& seen);

/// The first line of an exception's text, without what differs from Program to Program.
std::string withoutParticulars(const std::string& text);

} // namespace touchstone::conformance
