#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace touchstone::catalogue {

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
  kActivation,
  kLoss,
  kConvolution, // and pooling, padding, interpolation
  kSize,
  kGradient,
  kCustom,
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

/// What became of one try of an entry, as bits.
enum OperatorUse : unsigned {
  kTried = 0,
  kPrecluded = 1, // no operand fits, or a precheck said no
  kAccepted = 2, // eager took it
  kForward = 4, // an output or an argument depends on it
  kBackward = 8, // some backward of the Case runs a node that it made
  kNonContiguous = 16, // an operand is
  kEmpty = 32, // an operand has no elements
  kAliased = 64, // an operand shares memory with another tensor of the Program
};

/// Raised by one with each change of the table: Cases depend on it.
constexpr int kCatalogueVersion = 11;

} // namespace touchstone::catalogue
