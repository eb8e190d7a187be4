#pragma once

#include "generators/catalogue/Recipe.h"
#include "program/language/Case.h"

#include <functional>

namespace touchstone::decoder {

/// Counted while decoding, added up by a campaign.
struct DecodeStatistics {
  int tried = 0; // statements tried
  int rejected = 0; // eager raised
  int precluded = 0; // a precheck said no
  int excluded = 0; // operations that returned an excluded dtype
  std::vector<std::string> accepted; // operator names of the catalogue, in order
  std::vector<std::pair<std::string, unsigned>> uses; // with DecodeOptions::wantUses: each try, bits of OperatorUse
  std::vector<std::string> overloads; // the same: each overload of ATen that the Program calls, once
};

/// How often what was compiled is used again: more often where compiling takes hundreds of calls' time (the torch family).
constexpr int kSameCalls = 3, kSameCallsOfTorchCompile = 22;

struct DecodeOptions {
  catalogue::Features features;
  int64_t maximumElements = 64; // of any tensor
  int maximumRank = 5;
  std::function<void(int record)> onRecord; // before each record is tried
  DecodeStatistics* statistics = nullptr;
  bool wantUses = false;
  /// Calls that take the same inputs with other values, and other tangents and roots: code that was compiled for the first
  /// of them serves them all. Between 2 and kMaximumSameCalls; single changes come on top.
  int sameCalls = kSameCalls;
};

constexpr int kMaximumSameCalls = 24;

/// Decodes by executing: every statement runs eagerly while it is appended, and what eager rejects is dropped, so the
/// Case is valid by construction (the finished Case is still to be run from fresh inputs: that run is the reference).
/// Every Recipe gives a Case, the empty one too. In-place operations are tried on cloned storages first. The same
/// Recipe and features give the same Case, on the same catalogue and torch version.
language::Case decode(const catalogue::Recipe& recipe, const DecodeOptions& options = {});

} // namespace touchstone::decoder
