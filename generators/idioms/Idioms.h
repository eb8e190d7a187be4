#pragma once

#include "generators/catalogue/Catalogue.h"
#include "program/language/Ast.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace touchstone::idioms {

/// What the rows of one table have in common.
enum class IdiomClass {
  kRepeated, // equal and nearly equal expressions: what may be computed once, and what may not
  kInverse, // there and back
  kCast, // casts beside each other
  kView, // slices of slices, chains of reshapes, pieces put together again
  kIdentity, // what leaves its operand as it is, and what almost does
  kReassociation, // other orders of the same sums and products
  kPromotion, // dtypes that come of numbers and of tensors without dimensions
  kFactory, // constants that are folded, and written to
  kReduction,
  kWrittenOut, // what has an operator of its own, spelled with smaller ones
  kMatrix,
  kIndexing,
  kWrite, // writes to a tensor, to its views, and over what was written
  kTraining, // steps of optimizers, running statistics, clipping
  kGradient, // where several gradients come together
};
std::string_view className(IdiomClass idiomClass);

enum Flag : unsigned {
  kPlain = 0,
  kExact = 1, // see OperatorInfo::exact
  kMutates = 2, // writes to A
  kRandom = 4, // draws from the default generator
  kNoGradient = 8, // autograd refuses operands that require grad: `out=`
  kToInteger = 16, // makes integers of floats: undefined for values that do not fit
};

/// One row: a few statements that belong together.
///
/// The statements are of the Case language over the operands `A`, `B`, `C`, the names of attributes that a spelling of the
/// catalogue may hold (`DIM`, `SCALAR`, …), and names in small letters that they bind. What is bound is of tensors, whole
/// numbers and bools, and gets a name of its own in each Program.
struct Idiom {
  std::string_view name;
  unsigned flags;
  std::vector<catalogue::OperandConstraint> operands;
  std::vector<std::string_view> statements;
  int minimumRank = 0; // of A
  int maximumRank = 8;
  /// Exact rows: how many values of the operands, or numbers, are multiplied in an element of what is made, at most.
  int degree = 1;

  bool has(Flag flag) const { return (flags & flag) != 0; }
};

/// A row with its statements read.
struct IdiomEntry {
  const Idiom* description;
  IdiomClass idiomClass;
  std::vector<language::StatementPtr> statements;
  std::vector<std::string> attributes; // names of attributes inside
  std::vector<std::string> results; // names that are bound, in the order of their first binding
  uint64_t hash; // of the name

  const Idiom* operator->() const { return description; }
};

/// All rows; read at the first call.
const std::vector<IdiomEntry>& idioms();

/// True when these features let the row take part.
bool takesPart(const Idiom& idiom, const catalogue::Features& features);

/// The rows that take part, those that the key likes best first. A new row changes the choice only where it wins itself.
std::vector<const IdiomEntry*> preferredIdioms(uint32_t key, const catalogue::Features& features, size_t count);

// The classes' tables, each in a file of its own.
std::span<const Idiom> repeatedIdioms();
std::span<const Idiom> inverseIdioms();
std::span<const Idiom> castIdioms();
std::span<const Idiom> viewIdioms();
std::span<const Idiom> identityIdioms();
std::span<const Idiom> reassociationIdioms();
std::span<const Idiom> promotionIdioms();
std::span<const Idiom> factoryIdioms();
std::span<const Idiom> reductionIdioms();
std::span<const Idiom> writtenOutIdioms();
std::span<const Idiom> matrixIdioms();
std::span<const Idiom> indexingIdioms();
std::span<const Idiom> writeIdioms();
std::span<const Idiom> trainingIdioms();
std::span<const Idiom> gradientIdioms();

} // namespace touchstone::idioms
