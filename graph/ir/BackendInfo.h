#pragma once

#include <string>

namespace touchstone::ir {

enum class Family {
  kNative, // in C++, in any process
  kTorch, // the installed PyTorch, in the worker that embeds Python
};
/// `native`, `torch`
constexpr const char* familyName(Family family) {
  return family == Family::kNative ? "native" : "torch";
}

/// Which rules of the oracle contract apply; `oracles/compare/Rules.h` gives them meaning.
enum class RuleSet {
  kNativeExact,
  kNativeFunctional,
  kNativeRounding,
  kNativeScript,
  kReference,
  kAot,
  kDecomposed,
  kInductor
};

/// What is known of a Backend without starting it.
struct BackendInfo {
  std::string name;
  Family family = Family::kNative;
  std::string summary; // one line for `touchstone backends`
  RuleSet rules = RuleSet::kAot;
  bool compiles = true; // reference backends do not compile and are never vacuous
  std::string base; // the weaker pipeline that this one adds to; empty: there is none
  std::string adds; // the stage that this one adds to it; empty: the summary says it
  /// The pipeline of its base, a stage further: what the base shows too is a finding of this one all the same.
  bool continuesBase = false;
};

} // namespace touchstone::ir
