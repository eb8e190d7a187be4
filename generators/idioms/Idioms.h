#pragma once

#include "generators/catalogue/Catalogue.h"
#include "program/language/Ast.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace touchstone::idioms {

enum Flag : unsigned {
  kPlain = 0,
  kExact = 1, // see OperatorInfo::exact
  kMutates = 2, // writes to A
  kRandom = 4, // draws from the default generator
  kNoGradient = 8, // for operands that require no grad: autograd refuses others (`out=`), or the backward reads values
  kToInteger = 16, // makes integers of floats: undefined for values that do not fit
  kOfSizes = 64, // computes with sizes: of Cases whose sizes change
  kSelects = 32, // takes the elements of a mask, as `masked_select` does: sizes depend on values
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
  /// A name that is bound.
  struct Result {
    std::string name;
    bool isRead; // by a statement of the row that makes something else of it, and not written to after that
  };
  std::vector<language::StatementPtr> statements;
  std::vector<std::string> attributes; // names of attributes inside
  std::vector<Result> results; // in the order of their first binding
  std::vector<std::string> called; // see catalogue::operatorsCalled()
  bool writes = false; // to A, or to what it made
  uint64_t hash = 0; // of the name

  const Idiom* operator->() const { return description; }
};

/// All rows; read at the first call.
const std::vector<IdiomEntry>& idioms();

/// True when these features let the row take part; exclusions are asked besides.
bool takesPart(const IdiomEntry& entry, const catalogue::Features& features);

/// Of the rows that take part those that compute with sizes or, with `ofSizes` false, the others, from a place in [0, 1) of their table on; the order is that of the hashes of their names. One that
/// calls an excluded operator is left out, and the exclusion noted.
std::vector<const IdiomEntry*> idiomsFrom(double place, const catalogue::Features& features, size_t count,
                                          bool ofSizes = false);

// The tables, each in a file of its own: what their rows have in common.
std::span<const Idiom>
repeatedIdioms(); // equal and nearly equal expressions: what may be computed once, and what may not
std::span<const Idiom> inverseIdioms(); // there and back
std::span<const Idiom> castIdioms(); // casts beside each other
std::span<const Idiom> viewIdioms(); // slices of slices, chains of reshapes, pieces put together again
std::span<const Idiom> identityIdioms(); // what leaves its operand as it is, and what almost does
std::span<const Idiom> reassociationIdioms(); // other orders of the same sums and products
std::span<const Idiom> promotionIdioms(); // dtypes that come of numbers and of tensors without dimensions
std::span<const Idiom> factoryIdioms(); // constants that are folded, and written to
std::span<const Idiom> reductionIdioms();
std::span<const Idiom> writtenOutIdioms(); // what has an operator of its own, spelled with smaller ones
std::span<const Idiom> matrixIdioms();
std::span<const Idiom> indexingIdioms();
std::span<const Idiom> writeIdioms(); // writes to a tensor, to its views, and over what was written
std::span<const Idiom> trainingIdioms(); // steps of optimizers, running statistics, clipping
std::span<const Idiom> keywordIdioms(); // calls with a keyword that is not the default
std::span<const Idiom> sizeIdioms(); // sizes as numbers, as bounds of slices, in views, factories and branches
std::span<const Idiom> gradientIdioms(); // where several gradients come together

} // namespace touchstone::idioms
