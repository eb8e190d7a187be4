#pragma once

#include <string>
#include <vector>

namespace touchstone::ir {

enum class Family {
  kNative, // in C++, in any process
  kTorch, // the installed PyTorch, in the worker that embeds Python
};

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
  std::vector<std::string> ladder; // weaker pipelines to blame first, weakest first; the last is the base
};

} // namespace touchstone::ir
