#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace touchstone::generators {

/// The families of the catalogue, for `touchstone ops` and for profiles that exclude one.
enum class OperatorFamily {
  kUnary,
  kBinary,
  kInPlace,
  kView,
  kReduction,
  kMatrix,
  kIndexing,
  kJoining,
  kFactory,
  kCast,
  kNormalization,
  kSize,
  kGradient,
};
std::string_view familyName(OperatorFamily family);

/// What is told of one catalogue entry.
struct OperatorInfo {
  std::string_view name;
  OperatorFamily family;
  bool exact; // keeps values of kind `grid` exact, forward and backward, in any order of summation
  bool mutates; // writes to its first operand, or changes its sizes
};

/// All entries, in the catalogue's order.
std::vector<OperatorInfo> operators();

/// Raised by one with each change of the table: Cases depend on it.
constexpr int kCatalogueVersion = 1;

} // namespace touchstone::generators
