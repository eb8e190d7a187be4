#pragma once

#include "program/language/Case.h"

#include <string>
#include <vector>

namespace touchstone::analysis {

/// What is left of a Program when values, sizes and names are taken away: operators in order, and which arguments share
/// memory. Reduced findings with the same symptom and signature are one cluster.
struct ProgramSignature {
  std::vector<std::string> operators; // of all functions but `inputs*`, in the order of the text
  std::string aliasing; // per argument the number of its memory: `0 1 0`; read off the text
  std::string modes; // what the calls ask for: `backward`, `no_grad`, …
  std::string text() const;
};
ProgramSignature signatureOf(const language::Case& theCase);

/// True when `part`'s operators occur in `whole` in that order: what was reduced to `part` may be in `whole`.
bool isContained(const ProgramSignature& part, const ProgramSignature& whole);

/// Eight hexadecimal digits of a text, the same on every machine.
std::string shortHash(const std::string& text);

} // namespace touchstone::analysis
