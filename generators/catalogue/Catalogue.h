#pragma once

#include "generators/catalogue/Operators.h"
#include "generators/catalogue/Recipe.h"
#include "program/language/Ast.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace touchstone::catalogue {

/// What an operand must be. The first operand (`A`) fits alone; the others fit with regard to it.
enum class OperandConstraint {
  kAny, // any tensor
  kNumeric, // not bool
  kReal, // neither bool nor complex
  kFloat, // floating, not complex
  kInexact, // floating or complex
  kInteger, // int32 or int64
  kIntegral, // integer or bool
  kComplex,
  kDifferentiable, // requires grad
  kIndex, // int64, one dimension
  kTarget, // may be written to here and now
  kNumericTarget,
  kFloatTarget,
  kIntegralTarget, // integer or bool
  kIntegerTarget, // int32 or int64
  kSquareTarget, // floating, a square matrix
  kGeometryTarget, // its sizes and strides may change
  kStorageTarget, // no view, does not require grad: its memory may be exchanged for other memory
  kMatrix, // floating, two dimensions
  kBatch, // floating, three dimensions
  kBroadcast, // not bool, sizes broadcast with A's
  kBroadcastAny, // sizes broadcast with A's
  kBroadcastReal, // neither bool nor complex, sizes broadcast with A's
  kBroadcastInteger, // int32 or int64, sizes broadcast with A's
  kBroadcastIntegral, // integer or bool, sizes broadcast with A's
  kInto, // broadcasts into A's sizes, its dtype converts to A's, complex as A is
  kScalarInto, // the same without dimensions
  kMask, // bool, broadcasts into A's sizes
  kSameKind, // A's sizes and dtype
  kApart, // A's sizes and dtype, memory of its own
  kSameElements, // as many elements as A
  kSameDtype, // A's dtype
  kSourceOf, // an input that A was computed from, as autograd knows
  kJoinable, // A's dtype and sizes, but for dimension DIM
  kRows, // matrix with as many rows as A has columns, A's dtype
  kBatchRows, // the same for a batch of matrices
  kBias, // A's dtype, broadcasts into the sizes of A @ B
  kColumn, // vector as long as A's last dimension, A's dtype
  kSource, // A's dtype, sizes of A with dimension DIM as long as INDICES
  kNumber, // a whole number read by the Program
  kScalar, // a whole or a floating number read by the Program
  kSizes, // a torch.Size read by the Program
};

enum Flag : unsigned {
  kPlain = 0,
  kExact = 1, // see OperatorInfo::exact
  kMutates = 2, // writes to A
  kGeometry = 4, // changes A's sizes or strides, or what it is to autograd
  kProduct = 8, // grid factors of the operands add up (exact mode bounds them)
  kRandom = 16, // draws from the default generator
  kViews = 32, // results only look at the operand's memory
  kEffect = 128, // kept for what it does: nothing that it returns gets a name
  kFull = 256, // A has elements: of none eager gives back A itself as a gradient
  kNoGradient = 64, // autograd refuses operands that require grad: an `out=` form
  kReads = 512, // reads values: the graph breaks there
  kOfDense = 1024, // dense Programs alone draw it
  kZeroDerivative = 2048, // zero everywhere: takes the gradient from all that comes before
  kReadsBackward = 4096, // its backward reads values, which a compiled one may not
  kCustom = 8192, // a custom operator of the Case
};

/// One entry of the table: what it is called, how it is written, what it takes.
///
/// A spelling is an expression of the Case language over `A`, `B`, `C` (operands) and the names of attributes
/// (`DIM`, `SCALAR`, … in DecoderAttributes.cpp); `A += B` and `A[INDEX] = B` are statements. Spellings of one entry
/// mean the same; which is used is part of the Program.
struct Operator {
  std::string_view name;
  OperatorFamily family;
  unsigned flags;
  std::vector<std::string_view> spellings;
  std::vector<OperandConstraint> operands = {};
  double weight = 1; // how common it is, beside the others; it is chosen by the square root of that
  int minimumRank = 0; // of A
  int maximumRank = 8;

  bool has(Flag flag) const { return (flags & flag) != 0; }
  /// Writes to A, or changes what it is.
  bool writes() const { return has(kMutates) || has(kGeometry); }
  /// What it returns is new, and gets a name; otherwise it is kept for what it does to A.
  bool namesResult() const { return !writes() && !has(kEffect); }
};

/// A spelling, read once.
struct Spelling {
  std::string_view text;
  std::string_view assignment; // `+=` and the like or `=`; empty: an expression
  language::ExprPtr target; // of an assignment
  language::ExprPtr value;
  std::vector<std::string> attributes; // names of attributes inside
};

/// An Operator with its spellings read.
struct CatalogueEntry {
  const Operator* description;
  std::vector<Spelling> spellings;
  uint64_t hash; // of the name

  const Operator* operator->() const { return description; }
};

/// The whole catalogue; read at the first call.
const std::vector<CatalogueEntry>& catalogue();

/// True when these features let the operator take part; isInSwarm() is asked besides.
bool takesPart(const Operator& op, const Features& features);
/// True when the operator and its family are among those that `features.swarm` draws. Decided by the hash of the name, so a
/// new entry changes nothing for the others.
bool isInSwarm(const CatalogueEntry& entry, const Features& features);

/// What isInSwarm() asks, its draws of a whole Case made once.
class Swarm {
 public:
  explicit Swarm(uint64_t swarm); // 0: all are in it
  bool has(OperatorFamily family, uint64_t hash) const;

 private:
  uint64_t swarm_;
  unsigned families_ = 0; // bits
  int operatorChance_ = 0;
};

/// Rendezvous choice: the entry with the best score of key and name among those that take part, better for heavier
/// ones; among all that the modes allow when none is in the swarm. A new entry changes the choice only where it wins
/// itself. Where an excluded one would have won, the exclusion is noted, and the next best is chosen.
///
/// One serves all statements of a Case. Keeps a reference to the features.
class OperatorChooser {
 public:
  explicit OperatorChooser(const Features& features);
  const CatalogueEntry& choose(uint32_t key);

 private:
  struct Candidate {
    uint64_t hash;
    double weight;
    const CatalogueEntry* entry;
  };
  static const std::vector<Candidate>& candidatesFor(const Features& features);
  const CatalogueEntry* chooseOf(uint32_t key, const std::vector<Candidate>& candidates); // null: all are excluded

  const Features& features_;
  const std::vector<Candidate>& candidates_; // those that take part, heavier ones first
  std::vector<Candidate> inSwarm_; // of these
};
const CatalogueEntry& chooseOperator(uint32_t key, const Features& features); // the same for one key

// The families' tables, each in a file of its own.
std::span<const Operator> unaryOperators();
std::span<const Operator> binaryOperators();
std::span<const Operator> inPlaceOperators();
std::span<const Operator> outForms();
std::span<const Operator> viewOperators();
std::span<const Operator> reducingOperators();
std::span<const Operator> matrixOperators();
std::span<const Operator> indexingOperators();
std::span<const Operator> joiningOperators();
std::span<const Operator> makingOperators();
std::span<const Operator> readingOperators();
std::span<const Operator> customOperators();
std::span<const Operator> networkOperators();
std::span<const Operator> denseOperators();

} // namespace touchstone::catalogue
