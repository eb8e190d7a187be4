#pragma once

#include "generators/catalogue/Recipe.h"
#include "generators/decoder/GradientFacts.h"
#include "generators/decoder/InputSpecification.h"
#include "program/language/Case.h"
#include "program/values/Value.h"

#include <cstdint>
#include <functional>
#include <string>

namespace touchstone::decoder {

/// What patterns of calls are drawn for.
struct PatternContext {
  const catalogue::Features& features;
  const InputSpecification& inputs;
  const values::Value& result; // of the base call
  std::function<GradientFacts()> gradients; // asked for where a pattern needs a backward
  std::string kind; // of values
};

/// Appends patterns to CALLS: groups of calls that hang together, such as forwards that are alive before their backwards run in
/// another order, or outputs that are the next call's inputs. With all parts on about half of the Cases get one or two. What
/// eager refuses is not kept, but that a backward may miss a value that was written to between (rule A16). Calls that are
/// there stay as they are.
void addCallPatterns(language::Case& theCase, const PatternContext& context, uint64_t seed);

} // namespace touchstone::decoder
