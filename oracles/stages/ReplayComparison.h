#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace touchstone::stages {

/// How two runs of one computation are compared.
struct ReplayComparison {
  std::string expected, found; // whose values a message names first, and whose second
  bool strides = true; // where they matter: not in dimensions of one element
  /// The expected tensors once more, of a run with inputs perturbed by one unit in the last place in a pattern drawn from the
  /// seed: evidence for the bound of rule A7. Null: bits have to be the same.
  std::function<std::vector<at::Tensor>(uint64_t seed)> perturbed = nullptr;
};

/// The first in which two lists of tensors differ: `NAME[0, 1]: 2 by the Graph, 3 by …; 1 of 6 elements differ`, and how the
/// one is called by `nameOf` its position. Empty: none does.
std::string firstDifference(const std::vector<at::Tensor>& expected, const std::vector<at::Tensor>& found,
                            const std::function<std::string(size_t position)>& nameOf,
                            const ReplayComparison& comparison);

/// The same of where they lie: the first that begins elsewhere in its memory, or shares it with another one in one of the lists
/// alone. Those without elements, and those in a list alone, lie nowhere.
std::string firstDifferenceOfPlace(const std::vector<at::Tensor>& expected, const std::vector<at::Tensor>& found,
                                   const std::function<std::string(size_t position)>& nameOf,
                                   const ReplayComparison& comparison);

/// Presence, dtype, sizes and bits.
bool sameBits(const at::Tensor& left, const at::Tensor& right);

} // namespace touchstone::stages
