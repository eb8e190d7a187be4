#pragma once

#include "oracles/observe/Observation.h"

#include <string>
#include <utility>
#include <vector>

namespace touchstone::observe {

/// How much of a tensor's elements stands in a text.
enum class ValuesText {
  kBits, // all of them, as hexadecimal digits
  kDigest, // a hash of their bits and the first few as numbers
};

/// What is seen of a call as named texts, the same wherever the same is seen: `output 0`, `arg 1`, `gradient 0 of arg 1`,
/// `exception`, … A tensor's text is `dtype Float; sizes [2, 3]; …; values …`. Every NaN of a type has the same bits. Times,
/// counters and rule A14's mark are left out. `tests/python/observed_texts.py` makes the texts with kBits, too.
using ObservationTexts = std::vector<std::pair<std::string, std::string>>;
ObservationTexts observationTexts(const CallObservation& call, ValuesText values);

} // namespace touchstone::observe
