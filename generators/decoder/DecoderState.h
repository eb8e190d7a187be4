#pragma once

#include "generators/catalogue/Catalogue.h"
#include "generators/catalogue/Draw.h"
#include "generators/decoder/Decoder.h"
#include "generators/decoder/InputSpecification.h"
#include "generators/features/OperatorUses.h"
#include "program/evaluator/Contexts.h"
#include "program/evaluator/Evaluator.h"

#include <c10/core/StorageImpl.h>

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

namespace touchstone::decoder {

/// A name of the Program under construction that statements can take and outputs can return.
struct Variable {
  std::string name;
  values::Value value; // a tensor, a whole number, a bool, or a torch.Size
  bool isInput = false;
  bool piece = false; // one of several results of one view operator: eager refuses writes where it requires grad
  bool madeWithoutGrad = false; // made under no_grad: eager may refuse writes under grad
  bool isReturned = false; // of an idiom: an output, unless a statement reads it
  int uses = 0; // statements that read it, and outputs
};

/// A variable that was not decoded: what autograd knows of the value says whether it is a piece.
Variable variableOf(const std::string& name, const values::Value& value, bool isInput);

/// The `with` that a statement stands in.
enum class Region {
  kNone,
  kNoGrad,
  kEnableGrad,
  kInference,
  kAutocast,
  kEnableInNoGrad,
  kNoGradInAutocast,
  kAutocastOff, // `enabled=False`
  kAutocastUncached, // `cache_enabled=False`
  kAutocastOffInAutocast,
};
bool leavesGradOn(Region region);
std::vector<language::ExprPtr> regionExpressions(Region region); // `torch.no_grad()`, from the outermost
/// The region of a record's statement.
Region drawRegion(uint64_t seed, const catalogue::Features& features);
/// Inside the region for as long as it lives.
class RegionScope {
 public:
  explicit RegionScope(Region region);

 private:
  std::unique_ptr<evaluator::Context> outer_, inner_; // left from the inner one
};

/// What a record's statement, with some behind it, is put into.
enum class Shape { kStraight, kFunction, kBranch, kLoop };
Shape drawShape(uint64_t seed, const catalogue::Features& features);

/// A decoded statement and where it came from.
struct DecodedStatement {
  language::StatementPtr statement;
  std::optional<size_t> record = std::nullopt; // none: it is of no record, and stands where it is
  uint64_t seed = 0; // of the record
  Region region = Region::kNone;
  bool raises = false; // kept on purpose although eager rejects it
  bool mayRepeat = false; // a second time, it changes no sizes and needs no digits that there are not
  language::ExprPtr condition; // of a branch, on its first operand; null: none
  bool conditionHolds = false; // right before it
};

/// Everything known while one Program is decoded.
struct DecoderState {
  DecoderState(const DecodeOptions& decodeOptions, DecodeStatistics& counts, evaluator::Evaluator& caseEvaluator)
      : options(decodeOptions), statistics(counts), evaluator(caseEvaluator), operators(decodeOptions.features) {}

  const DecodeOptions& options;
  DecodeStatistics& statistics;
  evaluator::Evaluator& evaluator;
  catalogue::OperatorChooser operators;
  evaluator::Environment environment;
  std::vector<Variable> variables;
  std::vector<DecodedStatement> statements;
  /// Exact mode: how many values of kind `grid` are multiplied in an element of the storage, at most. Bounding them
  /// bounds the digits of every value and gradient, so that no order of summation rounds.
  std::unordered_map<const c10::StorageImpl*, int> factors;
  bool castsToInteger = false; // a float became an integer: values of kind `special` would be undefined
  int nextName = 0;
  std::unique_ptr<features::OperatorUses> uses; // where they are asked for

  /// The last statement is kept because eager rejects it: nothing may follow.
  bool raises() const { return !statements.empty() && statements.back().raises; }
  const Variable* find(const std::string& name) const; // null: it is none
  at::Tensor tensorNamed(const std::string& name) const; // undefined: it is none, or of another type
  std::string newName() { return "y" + std::to_string(nextName++); }
  int factorsOf(const at::Tensor& tensor) const; // at least 1
  void noteFactors(const at::Tensor& tensor, int count); // where it has fewer
  /// The variables that the statement reads have a use more.
  void markRead(const language::Statement& statement);
};

/// Strided and on the CPU, of no more elements and dimensions than are asked for.
bool isWithinSizes(const DecodeOptions& options, const at::Tensor& tensor);
/// The same, and its values are bounded as statements need them.
bool isWithinBounds(const DecoderState& state, const at::Tensor& tensor);

/// Runs a statement that no record gave, `y3 = x0 + y1` or a write, in the region, and appends it where eager takes it and no
/// operator in it is excluded; what it reads is marked, what it makes is a variable. False: nothing was appended. `isWanted`
/// is asked of what it made. A text that is not of the language is a mistake of the caller's, and throws.
bool appendWritten(DecoderState& state, const std::string& text, Region region = Region::kNone,
                   const std::function<bool(const at::Tensor& made)>& isWanted = nullptr);

/// What the attributes of a statement are drawn for.
struct AttributeContext {
  uint64_t seed; // of the record
  at::Tensor subject; // operand A; undefined: none
  const DecodeOptions& options;
};
/// Draws one attribute by its name in a spelling. Null: operand A admits none (`INSIDE` of an empty dimension, …).
/// Throws std::out_of_range for a name that the table does not know.
std::optional<std::vector<language::ExprPtr>> drawAttribute(const std::string& name, const AttributeContext& context);
int64_t drawnDimension(const AttributeContext& context); // what DIM stands for, from 0
int64_t drawnIndexCount(const AttributeContext& context); // length of INDICES

/// Whether an operand fits.
struct ConstraintContext {
  at::Tensor first, second; // operands already chosen
  bool gradEnabled = true;
  AttributeContext attributes;
};
bool fits(catalogue::OperandConstraint fit, const Variable& variable, const ConstraintContext& context);

/// Bounds of the values of what a statement makes: in exact mode, with 6 binary digits after the point, far from 24 in all.
constexpr double kExactBound = 1024, kFiniteBound = 1e4;
constexpr int kMaximumFactors = 3; // exact mode: see DecoderState::factors; 2 binary digits after the point each

/// True when no two elements share memory, decided from sizes and strides.
bool elementsAreDistinct(const at::Tensor& tensor);
/// True when all elements are finite and at most `bound` in magnitude; true for integers and bools.
bool valuesAreBounded(const at::Tensor& tensor, double bound);

/// Where a pick of 8 bits lands among `count` candidates: 0 is the nearest; near ones are likelier.
size_t distanceBack(int pick, size_t count);

/// Sizes from the catalogue's pool: mostly 2 and 3, at times 0, 1, 4, 5.
std::vector<int64_t> drawSizes(catalogue::Draw& draw, int64_t maximumElements);

/// Tries one statement record; appends to `state.statements` and `state.variables` when eager accepts it.
/// Returns false when eager refused in the middle of a write: memory may have changed, the decoding is to be started
/// again without the record. `again`: another statement was tried for the record before.
bool decodeStatement(DecoderState& state, const catalogue::Record& record, size_t recordIndex, bool again = false);

/// Leaves out the statements that neither an output nor a write that is seen depends on. Nothing of a Program that raises.
void dropDeadStatements(DecoderState& state, const std::vector<std::string>& parameters,
                        const language::StatementPtr& last);

/// Tries the Recipe's statement records in their order, but for those at the positions `left out`, up to one that is kept
/// because it raises. None: all went well. Otherwise the position of a record
/// that was refused in the middle of a write: the decoding is to be started again without it.
std::optional<size_t> decodeStatements(DecoderState& state, const catalogue::Recipe& recipe,
                                       const std::set<size_t>& leftOut);

/// The records of one section, of those that decode() looks at.
std::vector<const catalogue::Record*> recordsOf(const catalogue::Recipe& recipe, catalogue::Section section);

/// `return …` of the output records' picks; marks what it uses.
language::StatementPtr decodeOutputs(DecoderState& state, const std::vector<const catalogue::Record*>& records);

/// Appends CALLS, changed `inputs` functions and `between` functions to a Case whose program is complete. It may have calls
/// already; without a specification of its inputs none are changed.
void decodeCalls(language::Case& theCase, const InputSpecification& inputs, const DecoderState& state,
                 const std::vector<const catalogue::Record*>& records, const evaluator::InputSet& madeInputs,
                 const values::Value& result, const std::string& kind);

} // namespace touchstone::decoder
