#pragma once

#include "generators/catalogue/Draw.h"
#include "generators/decoder/InputSpecification.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace touchstone::decoder {

/// The sizes of inputs under other numbers. What has one number is one symbol: each dimension of three elements becomes one of
/// five, say, in all inputs. Two symbols may get one number, or each other's, or one the number 0 or 1; seldom only one
/// dimension of one input changes, so that what was equal is not any more. Numbers become others, too. None: nothing changes, or
/// what comes of it has more than so many elements.
std::optional<InputSpecification> withOtherSizes(const InputSpecification& inputs, catalogue::Draw& draw,
                                                 int64_t maximumElements);

/// The inputs with numbers for their symbols that a guard such as `n > 2` does not make constants of; as they are where that would be more
/// than so many elements. At times there is a number more among the arguments.
InputSpecification withSymbols(const InputSpecification& inputs, catalogue::Draw& draw, int64_t maximumElements);

/// Marks dimensions of the same arguments of all of these: those of a symbol of the first, at times one of them. A mark is left
/// out where eager's sizes contradict it, as 0 and 1 are never symbols.
void markDimensions(const std::vector<InputSpecification*>& all, catalogue::Draw& draw);

} // namespace touchstone::decoder
