#pragma once

#include "program/language/Case.h"

#include <cstdint>
#include <vector>

namespace touchstone::decoder {

/// The custom operators that spellings of the catalogue name (`generators/catalogue/CatalogueOperators.cpp`): some return new
/// tensors, some write, some have an autograd formula, which need not be the derivative but is linear: a gradient that is missing and
/// one of zeros are alike to it. Their bodies are two or three operators
/// of the catalogue that keep sizes and dtype, drawn from the seed.
std::vector<language::CustomOperator> drawnOperators(uint64_t seed);

} // namespace touchstone::decoder
