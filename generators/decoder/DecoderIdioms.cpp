#include "generators/decoder/DecoderIdioms.h"

#include "generators/decoder/OperandChoice.h"

#include <algorithm>

namespace touchstone::decoder {

using language::ExprPtr;
using language::Statement;
using language::StatementPtr;
using values::Value;

namespace {

constexpr size_t kTries = 6; // rows tried for one record
constexpr int kSizesPercent = 60; // of the rows of a Case whose sizes change

/// The statement with names replaced, inside its blocks as well.
StatementPtr instantiateStatement(const Statement& pattern, const Bindings& bindings) {
  auto statement = std::make_shared<Statement>(pattern);
  const auto replaceAll = [&](std::vector<ExprPtr>& expressions) {
    for (ExprPtr& expression : expressions) {
      expression = instantiate(expression, bindings);
    }
  };
  replaceAll(statement->targets);
  replaceAll(statement->items);
  statement->value = instantiate(statement->value, bindings);
  for (std::vector<StatementPtr>* block : {&statement->body, &statement->orElse}) {
    for (StatementPtr& inner : *block) {
      inner = instantiateStatement(*inner, bindings);
    }
  }
  return statement;
}

/// One row on its way into the Program.
class IdiomDecoder {
 public:
  IdiomDecoder(DecoderState& state, const catalogue::Record& record, size_t recordIndex,
               const idioms::IdiomEntry& entry)
      : state_(state),
        record_(record),
        recordIndex_(recordIndex),
        entry_(entry),
        region_(drawRegion(record.attributes, state.options.features)) {}

  IdiomTrial run() {
    if (!chooseOperands() || !factorsFit() || !bindNames()) {
      return IdiomTrial::kNone;
    }
    const RegionScope region(region_);
    // What is written to memory that was there is tried on a copy of it.
    if (entry_->has(idioms::kMutates) && !trialSucceeds()) {
      return givenUp(IdiomTrial::kNone);
    }
    std::vector<StatementPtr> statements;
    for (const StatementPtr& statement : entry_.statements) {
      statements.push_back(instantiateStatement(*statement, bindings_));
    }
    if (!execute(statements) || !resultsAreAcceptable()) {
      return givenUp(entry_->has(idioms::kMutates) ? IdiomTrial::kRefused : IdiomTrial::kNone);
    }
    append(statements);
    return IdiomTrial::kAccepted;
  }

 private:
  bool chooseOperands() {
    ConstraintContext context{.first = {},
                              .second = {},
                              .gradEnabled = leavesGradOn(region_),
                              .attributes = {.seed = record_.attributes, .subject = {}, .options = state_.options}};
    for (size_t operand = 0; operand < entry_->operands.size(); ++operand) {
      const std::optional<size_t> chosen = chooseOperand(operand, context);
      if (!chosen) {
        return false;
      }
      operands_.push_back(*chosen);
      const Value& value = state_.variables[*chosen].value;
      if (operand == 0) {
        subject_ = context.first = context.attributes.subject = value.tensor();
      } else if (operand == 1 && value.isTensor()) {
        context.second = value.tensor();
      }
    }
    return true;
  }

  bool operandFits(size_t operand, const Variable& variable, const ConstraintContext& context) const {
    if (!fits(entry_->operands[operand], variable, context)) {
      return false;
    }
    if (!variable.value.isTensor()) {
      return operand > 0;
    }
    const at::Tensor& tensor = variable.value.tensor();
    if (entry_->has(idioms::kNoGradient) && context.gradEnabled && tensor.requires_grad()) {
      return false;
    }
    return operand != 0 || (tensor.dim() >= entry_->minimumRank && tensor.dim() <= entry_->maximumRank);
  }

  /// Often one that nothing has read.
  std::optional<size_t> chooseOperand(size_t operand, const ConstraintContext& context) const {
    const bool prefersUnused = catalogue::Draw(record_.attributes ^ operand, "idiom operand").chance(45);
    std::vector<size_t> candidates, unused;
    for (size_t index = state_.variables.size(); index-- > 0;) {
      if (operandFits(operand, state_.variables[index], context)) {
        candidates.push_back(index);
        if (state_.variables[index].uses == 0) {
          unused.push_back(index);
        }
      }
    }
    const std::vector<size_t>& chosen = prefersUnused && !unused.empty() ? unused : candidates;
    if (chosen.empty()) {
      return std::nullopt;
    }
    return chosen[distanceBack(record_.pick(static_cast<int>(operand)), chosen.size())];
  }

  bool factorsFit() {
    int most = 1;
    for (const size_t operand : operands_) {
      const Value& value = state_.variables[operand].value;
      most = std::max(most, value.isTensor() ? state_.factorsOf(value.tensor()) : 1);
    }
    factors_ = most * entry_->degree;
    return !state_.options.features.exactOnly || factors_ <= kMaximumFactors;
  }

  bool bindNames() {
    std::optional<Bindings> bindings =
        bindPlaceholders(state_, operands_, entry_.attributes,
                         {.seed = record_.attributes, .subject = subject_, .options = state_.options});
    if (!bindings) {
      return false;
    }
    bindings_ = std::move(*bindings);
    for (const idioms::IdiomEntry::Result& result : entry_.results) {
      names_.push_back(state_.newName());
      bindings_.emplace_back(result.name, std::vector<ExprPtr>{language::makeName(names_.back())});
    }
    return true;
  }

  bool execute(const std::vector<StatementPtr>& statements) {
    try {
      for (const StatementPtr& statement : statements) {
        state_.evaluator.execute(*statement, state_.environment);
      }
    } catch (const std::exception&) {
      return false;
    }
    return true;
  }

  bool trialSucceeds() {
    const std::string name = "trial_";
    Bindings bindings = bindings_;
    bindings[0].second = {language::makeName(name)};
    std::vector<StatementPtr> statements;
    for (const StatementPtr& statement : entry_.statements) {
      statements.push_back(instantiateStatement(*statement, bindings));
    }
    at::Tensor copy;
    try {
      copy = subject_.requires_grad() ? subject_.clone() : subject_.detach().clone();
    } catch (const std::exception&) { // a view of a custom function's whose base was written to: nobody may read it
      return false;
    }
    state_.environment.names[name] = Value(copy);
    const bool accepted = execute(statements) && resultsAreAcceptable() && copy.sizes() == subject_.sizes() &&
                          isWithinBounds(state_, copy);
    state_.environment.names.erase(name);
    forgetNames();
    return accepted;
  }

  bool resultsAreAcceptable() const {
    return std::all_of(names_.begin(), names_.end(), [&](const std::string& name) {
      const Value* value = state_.environment.find(name);
      return value != nullptr && (value->isTensor() ? isWithinBounds(state_, value->tensor())
                                                    : value->is<int64_t>() || value->is<double>() || value->is<bool>());
    });
  }

  void forgetNames() {
    for (const std::string& name : names_) {
      state_.environment.names.erase(name);
    }
  }

  /// The names are for others.
  IdiomTrial givenUp(IdiomTrial trial) {
    forgetNames();
    state_.nextName -= static_cast<int>(names_.size());
    return trial;
  }

  void append(const std::vector<StatementPtr>& statements) {
    bool isPiece = false, isMadeWithoutGrad = !leavesGradOn(region_);
    for (const size_t operand : operands_) {
      Variable& variable = state_.variables[operand];
      ++variable.uses;
      isPiece |= variable.piece;
      isMadeWithoutGrad |= variable.madeWithoutGrad;
    }
    if (entry_->has(idioms::kMutates)) {
      state_.variables[operands_[0]].uses = 0; // it has a new value that nothing has read
      state_.noteFactors(subject_, factors_);
    }
    for (size_t result = 0; result < names_.size(); ++result) {
      Variable variable = variableOf(names_[result], *state_.environment.find(names_[result]), false);
      variable.piece |= isPiece;
      variable.madeWithoutGrad = isMadeWithoutGrad;
      variable.isReturned = variable.value.isTensor();
      variable.uses = entry_.results[result].isRead ? 1 : 0;
      if (variable.value.isTensor()) {
        state_.noteFactors(variable.value.tensor(), factors_);
      }
      state_.variables.push_back(std::move(variable));
    }
    state_.castsToInteger |= entry_->has(idioms::kToInteger);
    for (const StatementPtr& statement : statements) {
      state_.statements.push_back(
          {.statement = statement, .record = recordIndex_, .seed = record_.attributes, .region = region_});
    }
    ++state_.statistics.tried;
  }

  DecoderState& state_;
  const catalogue::Record& record_;
  const size_t recordIndex_;
  const idioms::IdiomEntry& entry_;
  const Region region_;
  std::vector<size_t> operands_; // positions in state_.variables
  at::Tensor subject_; // operand A
  Bindings bindings_;
  std::vector<std::string> names_; // of the results, in the Program
  int factors_ = 1; // of what the row makes or writes
};

} // namespace

IdiomTrial decodeIdiom(DecoderState& state, const catalogue::Record& record, size_t recordIndex) {
  const catalogue::Features& features = state.options.features;
  if (!features.idioms || !record.isIdiom()) {
    return IdiomTrial::kNone;
  }
  const bool ofSizes = features.dynamic && catalogue::Draw(record.attributes, "of sizes").chance(kSizesPercent);
  for (const idioms::IdiomEntry* entry : idioms::idiomsFrom(record.idiomPlace(), features, kTries, ofSizes)) {
    const IdiomTrial trial = decodeIdiom(state, record, recordIndex, *entry);
    if (trial != IdiomTrial::kNone) {
      return trial;
    }
  }
  return IdiomTrial::kNone;
}

IdiomTrial decodeIdiom(DecoderState& state, const catalogue::Record& record, size_t recordIndex,
                       const idioms::IdiomEntry& entry) {
  return IdiomDecoder(state, record, recordIndex, entry).run();
}

} // namespace touchstone::decoder
