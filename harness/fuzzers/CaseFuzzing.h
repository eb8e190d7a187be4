#pragma once

#include "harness/fuzzers/RecipeInput.h"
#include "program/language/Outcome.h"

#include <string>
#include <vector>

namespace touchstone::fuzzers {

/// What a target that judges Cases was told on its command line; libFuzzer leaves flags with two dashes to the target.
struct CaseFuzzingOptions {
  std::vector<std::string> backends; // --backends=NAME,NAME
  std::vector<language::Outcome> outcomes; // --outcomes=NAME,NAME that end the process; empty: every finding
  int sameCalls = decoder::kSameCalls; // of decoder::DecodeOptions
};
/// Reads and removes these flags. Ends the program with status 2 and a sentence for a name that there is not.
CaseFuzzingOptions takeOptions(int* count, char*** arguments, const std::string& backends);

/// Makes this process one that judges Cases: one thread, the workers' allocator, the backends prepared. Call before the
/// first tensor, and after the family of the backends was started.
void watchMemory();
void prepareBackends(const CaseFuzzingOptions& options);

/// Decodes the input and judges the Case in this process with all oracles. What is no finding is counted as features; a
/// finding is printed with the Case, and ends the process.
void judgeInput(const RecipeInput& input, const CaseFuzzingOptions& options);

} // namespace touchstone::fuzzers
