#pragma once

#include <span>
#include <string_view>

namespace touchstone::operators {

/// Whether results are rounded.
enum class Rounding {
  kRounds,
  kExactArithmetic, // not on small multiples of a power of two, forward and backward, in whatever order; on other numbers
  kExact, // not on such numbers; what is called by this name itself moves, picks, compares or makes elements, or is composite
  kPicks, // it picks, moves or casts elements as they are, but its backward rounds, or Python has no such name
};

/// In which way an operator's documentation leaves the result open (rule A15).
enum class Choice {
  kNone,
  kTiedIndices, // which index of several equal elements
  kRepeatedWrites, // which of several writes to one place
  kZeroOfEitherSign, // which of two zeros is the larger or the smaller one
  kSummedZeros, // in place: the sign of a zero that a product of matrices is added to
  kSignOfNan,
  kOneOfSeveral, // a vector up to sign or phase
};

/// What holds of an operator, as bits.
enum Fact : unsigned {
  kNone = 0,
  // What it makes of elements.
  kElementwise = 1u << 0, // of each element those at its place; what PyTorch tags `pointwise` has `clone` in it
  kOneOperand = 1u << 1, // elementwise of one operand, beside numbers: `sin`, `clamp`
  kMoves = 1u << 2, // moves elements to new memory, and puts zeros beside them, though its schema says nothing of it
  kKeepsPlaces = 1u << 3, // element i of `self` decides about element i of the result alone, though it is not pointwise
  kCommutative = 1u << 4, // the order of two operands does not count
  kLinearInFirst = 1u << 5, // zero as the first operand gives zero, whatever the others are
  kLinear = 1u << 6, // zeros alone give zeros
  kProduct = 1u << 7, // of matrices
  kAddsProduct = 1u << 8, // of matrices, to `self`
  // Memory.
  kMayAlias = 1u << 9, // a result may share memory with the tensor that it is of
  kUnwritten = 1u << 10, // its result holds whatever was in memory
  kWritesByIndex = 1u << 11, // in place: to places that an operand names
  kReadsNeighbours = 1u << 12, // in place: computes elements from others of the same tensor
  kChangesGeometry = 1u << 13, // in place: sizes, strides, storage, or what the tensor is to autograd; no element
  // Data.
  kReadsOut = 1u << 14, // hands data of a tensor to the Program as a number
  kRaisesOnData = 1u << 15, // its kernel looks at values and refuses some: indices, targets, matrices
  kDivides = 1u << 16, // integers by zero raise
  // With `out=` and no `dtype`.
  kDtypeOfOut = 1u << 17, // computes in the dtype of what it writes to
  kAddsUpInOut = 1u << 18, // adds up in that dtype, which its functional form cannot be told
};

/// What is known of an operator that its schema and tags do not say, or not to whoever has its name alone.
struct OperatorFacts {
  std::string_view name; // of Python and of ATen, without namespace, overload and the underscore of what is in place
  Rounding rounding;
  unsigned facts = kNone; // Facts
  Choice choice = Choice::kNone;

  bool has(Fact fact) const { return (facts & fact) != 0; }
  bool isExact() const { return rounding == Rounding::kExact || rounding == Rounding::kExactArithmetic; }
};

/// One row an operator: every operator of the catalogue, and what Programs and compilers make of these. Sorted by name.
std::span<const OperatorFacts> operatorTable();

/// The row of exactly this name; null: there is none.
const OperatorFacts* findFacts(std::string_view name);
/// Whether there is a row of exactly this name with this fact.
bool has(std::string_view name, Fact fact);
/// The same row for `add` and `add_`. Of a name that has no row: it rounds, and nothing is known.
const OperatorFacts& factsOf(std::string_view name);

/// `add` of the target `aten::add.Tensor`; empty: an operator of another library.
std::string_view atenName(std::string_view target);

/// `add_`
bool isInPlaceName(std::string_view name);
/// `add` of `add_` and of `add`.
std::string_view outOfPlaceName(std::string_view name);

} // namespace touchstone::operators
