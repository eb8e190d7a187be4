#include "generators/decoder/DecoderIdioms.h"
#include "generators/decoder/DecoderState.h"
#include "generators/decoder/OperandChoice.h"

#include <c10/core/GradMode.h>

#include <algorithm>

namespace touchstone::decoder {

using language::ExprPtr;
using language::StatementPtr;
using values::Value;

namespace {

constexpr size_t kMaximumPieces = 4; // results of one statement that get names of their own
/// Dense Programs: another operator is tried where the one before took nothing.
constexpr int kDenseAttempts = 4;
/// Of a hundred statements of a Program that wants gradients: so many stand where grad mode is on and nothing else, so many
/// count only where what they make requires grad, and so many of its writes are left out, as a backward may need what they
/// write over.
constexpr int kPlainRegionPercent = 90, kDerivativePercent = 90, kSparedWritePercent = 60;
const std::string kTrialName = "trial_";

/// Eager takes for such an operator what it should not: a leaf that autograd has seen, memory of another dtype.
bool exchangesMemory(const catalogue::Operator& op) {
  return !op.operands.empty() && op.operands[0] == catalogue::OperandConstraint::kStorageTarget;
}

Region regionOf(const catalogue::Record& record, const catalogue::Features& features) {
  const bool isPlain =
      features.wantsGradients() && catalogue::Draw(record.attributes, "plain region").chance(kPlainRegionPercent);
  return isPlain ? Region::kNone : drawRegion(record.attributes, features);
}

/// One record on its way to a statement.
class StatementDecoder {
 public:
  /// `again`: another one was tried for the record before.
  StatementDecoder(DecoderState& state, const catalogue::Record& record, size_t recordIndex, bool again)
      : state_(state),
        record_(record),
        recordIndex_(recordIndex),
        entry_(state.operators.choose(record.key)),
        excludedBefore_(state.statistics.excluded),
        region_(regionOf(record, state.options.features)),
        mayRaise_(!again && !state.options.features.wantsGradients()),
        wild_(mayRaise_ && !exchangesMemory(*entry_.description) &&
              catalogue::Draw(record.attributes, "wild").below(1000) < 10) {}

  bool run() {
    ++state_.statistics.tried;
    const size_t variables = state_.variables.size();
    const size_t accepted = state_.statistics.accepted.size();
    const int precluded = state_.statistics.precluded;
    const bool goesOn = attempt();
    if (state_.uses == nullptr) {
      return goesOn;
    }
    if (state_.statistics.accepted.size() > accepted) {
      noteUse(variables);
    } else {
      state_.uses->add(entry_->name,
                       state_.statistics.precluded > precluded ? catalogue::kPrecluded : catalogue::kTried);
    }
    return goesOn;
  }

 private:
  bool attempt() {
    const bool isSpared = state_.options.features.wantsGradients() && entry_->writes() &&
                          catalogue::Draw(record_.attributes, "write").chance(kSparedWritePercent);
    std::optional<OperandChoice> chosen =
        isSpared ? std::nullopt : chooseOperands(state_, record_, entry_, leavesGradOn(region_), wild_);
    if (!chosen) {
      ++state_.statistics.precluded;
      return true;
    }
    choice_ = std::move(*chosen);
    drawCondition();
    const RegionScope region(region_);
    if (entry_->has(catalogue::kMutates) && !trialSucceeds()) {
      return true;
    }
    return apply();
  }

  /// What a branch around the statement may ask of its first operand, and how that is answered now.
  void drawCondition() {
    if (!choice_.subject.defined() || drawShape(record_.attributes, state_.options.features) != Shape::kBranch) {
      return;
    }
    const ExprPtr operand = choice_.bindings[0].second[0];
    catalogue::Draw draw(record_.attributes, "condition");
    const int64_t roll = draw.below(100);
    const int64_t bound = draw.between(1, 3);
    const auto compare = [&](ExprPtr left, const char* op, int64_t value, int64_t right) {
      condition_ = language::makeBinary(op, std::move(left), language::makeInt(right));
      conditionHolds_ = std::string_view(op) == ">" ? value > right : value == right;
    };
    if (roll < 30 && choice_.subject.dim() > 0) {
      compare(language::makeMethodCall(operand, "size", {language::makeInt(0)}), ">", choice_.subject.size(0), bound);
    } else if (roll < 50) {
      compare(language::makeMethodCall(operand, "dim", {}), "==", choice_.subject.dim(), bound);
    } else if (roll < 70) {
      compare(language::makeMethodCall(operand, "numel", {}), ">", choice_.subject.numel(), 2 * bound);
    } else if (roll < 80) {
      condition_ = language::makeMethodCall(operand, "is_contiguous", {});
      conditionHolds_ = choice_.subject.is_contiguous();
    } else if (roll < 90) {
      condition_ = language::makeAttribute(operand, "requires_grad");
      conditionHolds_ = choice_.subject.requires_grad();
    } else if (state_.options.features.dataBranches &&
               !choice_.subject.is_complex()) { // of values: the graph breaks there
      const ExprPtr condition =
          language::makeBinary(">", language::makeMethodCall(operand, "sum", {}), language::makeInt(0));
      try {
        conditionHolds_ = state_.evaluator.evaluate(*condition, state_.environment).tensor().item().toBool();
        condition_ = condition;
      } catch (const std::exception&) { // a view that eager refuses to go through after a write, or an excluded dtype
      }
    }
  }

  /// `before`: how many variables there were before the statement.
  void noteUse(size_t before) {
    std::vector<at::Tensor> operands, others, made;
    for (size_t operand : choice_.operands) {
      if (state_.variables[operand].value.isTensor()) {
        operands.push_back(state_.variables[operand].value.tensor());
      }
    }
    for (size_t index = 0; index < state_.variables.size(); ++index) {
      if (state_.variables[index].value.isTensor()) {
        (index < before ? others : made).push_back(state_.variables[index].value.tensor());
      }
    }
    if (entry_->writes()) {
      made.push_back(choice_.subject);
    }
    state_.uses->add(entry_->name, state_.statements.back().statement, operands, others, made);
  }

  /// Writes are tried on a clone of the operand first, without autograd: what the kernels refuse, and what would leave
  /// the bounds, has then written nothing.
  bool trialSucceeds() {
    Bindings bindings = choice_.bindings;
    bindings[0].second = {language::makeName(kTrialName)};
    bool accepted = false;
    try {
      c10::AutoGradMode mode(false);
      at::Tensor copy = choice_.subject.detach().clone();
      state_.environment.names[kTrialName] = Value(copy);
      if (choice_.spelling->target) {
        state_.evaluator.execute(*spelledStatement(*choice_.spelling, bindings, nullptr), state_.environment);
      } else {
        state_.evaluator.evaluate(*instantiate(choice_.spelling->value, bindings), state_.environment);
      }
      accepted = copy.sizes() == choice_.subject.sizes() && isAcceptable(copy);
    } catch (const std::exception&) {
      ++state_.statistics.rejected;
      keepIfAsked();
    }
    state_.environment.names.erase(kTrialName);
    return accepted;
  }

  bool isAcceptable(const at::Tensor& tensor) const {
    return entry_->has(catalogue::kViews) ? isWithinSizes(state_.options, tensor) : isWithinBounds(state_, tensor);
  }

  bool apply() {
    try {
      if (choice_.spelling->target) {
        const StatementPtr statement = spelledStatement(*choice_.spelling, choice_.bindings, nullptr);
        state_.evaluator.execute(*statement, state_.environment);
        append(statement, region_);
        accept();
        return true;
      }
      const ExprPtr expression = instantiate(choice_.spelling->value, choice_.bindings);
      const Value value = state_.evaluator.evaluate(*expression, state_.environment);
      if (lacksGradient(value)) {
        ++state_.statistics.precluded;
        return true;
      }
      if (!entry_->namesResult()) {
        applyWrite(expression, value);
        return true;
      }
      if (!bindResults(expression, value, region_)) {
        ++state_.statistics.precluded;
        return true;
      }
      accept();
      if (region_ == Region::kNone && !entry_->has(catalogue::kRandom) && state_.options.features.regions &&
          catalogue::Draw(record_.attributes, "twin").chance(3)) {
        // Two equal expressions under different grad modes must stay two.
        const RegionScope region(Region::kNoGrad);
        bindResults(expression, state_.evaluator.evaluate(*expression, state_.environment), Region::kNoGrad);
      }
      return true;
    } catch (const std::exception&) {
      ++state_.statistics.rejected;
      keepIfAsked();
      return !entry_->has(catalogue::kMutates);
    }
  }

  /// Gradients are wanted, and what the statement makes has none, or one by a backward that compilers refuse.
  bool lacksGradient(const Value& value) const {
    if (!state_.options.features.wantsGradients() || !entry_->namesResult() ||
        !catalogue::Draw(record_.attributes, "derivative").chance(kDerivativePercent)) {
      return false;
    }
    std::vector<at::Tensor> made;
    values::collectTensors(value, made);
    return entry_->has(catalogue::kZeroDerivative) || entry_->has(catalogue::kReadsBackward) ||
           std::none_of(made.begin(), made.end(), [](const at::Tensor& each) { return each.requires_grad(); });
  }

  /// `A.add_(B)` on its own, or with a name for the result, which is A itself or what the spelling made of it.
  void applyWrite(const ExprPtr& expression, const Value& value) {
    const bool named = value.isTensor() && catalogue::Draw(record_.attributes, "named").chance(25) &&
                       value.tensor().dim() <= state_.options.maximumRank;
    if (named) {
      append(language::makeAssign({language::makeName(newName(value, region_, false))}, expression), region_);
    } else {
      append(language::makeExpressionStatement(expression), region_);
    }
    accept();
  }

  std::string newName(const Value& value, Region region, bool piece) {
    Variable variable;
    variable.name = (value.isTensor() ? "y" : "n") + std::to_string(state_.nextName++);
    variable.value = value;
    variable.piece = piece;
    variable.madeWithoutGrad = !leavesGradOn(region);
    if (!choice_.operands.empty()) { // a view of a piece, or of what was made under no_grad, is treated alike
      const Variable& operand = state_.variables[choice_.operands[0]];
      variable.piece |= operand.piece;
      variable.madeWithoutGrad |= operand.madeWithoutGrad;
    }
    state_.environment.names[variable.name] = value;
    if (value.isTensor()) {
      state_.noteFactors(value.tensor(), choice_.factors);
    }
    std::string name = variable.name;
    state_.variables.push_back(std::move(variable));
    return name;
  }

  bool isBindable(const Value& value) const {
    if (value.isTensor()) {
      return isAcceptable(value.tensor());
    }
    return value.is<int64_t>() || value.is<bool>() ||
           (value.maybe<values::TuplePtr>() && entry_->family == catalogue::OperatorFamily::kSize);
  }

  bool bindResults(const ExprPtr& expression, const Value& value, Region region) {
    const ValueItems items = value.items();
    if (!items || entry_->family == catalogue::OperatorFamily::kSize) {
      if (!isBindable(value)) {
        return false;
      }
      append(language::makeAssign({language::makeName(newName(value, region, false))}, expression), region);
      return true;
    }
    if (items->empty() ||
        !std::all_of(items->begin(), items->end(), [&](const Value& item) { return isBindable(item); })) {
      return false;
    }
    const bool views = entry_->has(catalogue::kViews);
    if (items->size() == 1 || items->size() > kMaximumPieces ||
        catalogue::Draw(record_.attributes, "piece").chance(25)) {
      const int64_t piece =
          catalogue::Draw(record_.attributes, "which piece").below(static_cast<int64_t>(items->size()));
      const Value item = (*items)[static_cast<size_t>(piece)];
      const ExprPtr one = language::makeSubscript(expression, {language::makeInt(piece)});
      append(language::makeAssign({language::makeName(newName(item, region, views))}, one), region);
      return true;
    }
    std::vector<ExprPtr> targets;
    for (const Value& item : *items) {
      targets.push_back(language::makeName(newName(item, region, views)));
    }
    append(language::makeAssign(std::move(targets), expression), region);
    return true;
  }

  void append(StatementPtr statement, Region region) {
    const bool mayRepeat =
        entry_->has(catalogue::kMutates) && !(entry_->has(catalogue::kProduct) && state_.options.features.exactOnly);
    state_.statements.push_back({.statement = std::move(statement),
                                 .record = recordIndex_,
                                 .seed = record_.attributes,
                                 .region = region,
                                 .raises = false,
                                 .mayRepeat = mayRepeat,
                                 .condition = condition_,
                                 .conditionHolds = conditionHolds_});
  }

  void accept() {
    for (size_t operand : choice_.operands) {
      ++state_.variables[operand].uses;
    }
    if (entry_->has(catalogue::kMutates)) {
      Variable& target = state_.variables[choice_.operands[0]];
      target.uses = 0; // it has a new value that nothing has read
      state_.noteFactors(choice_.subject, choice_.factors);
    }
    if (entry_->family == catalogue::OperatorFamily::kCast) {
      const at::Tensor& made = state_.variables.back().value.tensor();
      state_.castsToInteger |= choice_.subject.is_floating_point() && !made.is_floating_point() && !made.is_complex();
    }
    state_.statistics.accepted.emplace_back(entry_->name);
  }

  /// A share of the rejected statements stays, as the last of its Program: both sides must raise.
  void keepIfAsked() {
    if (state_.statistics.excluded > excludedBefore_ ||
        (!wild_ && !(mayRaise_ && catalogue::Draw(record_.attributes, "keep").chance(4)))) {
      return;
    }
    const ExprPtr result = choice_.spelling->target ? nullptr : language::makeName(state_.newName());
    append(spelledStatement(*choice_.spelling, choice_.bindings, result), region_);
    state_.statements.back().raises = true;
  }

  using ValueItems = const values::ValueList*;
  DecoderState& state_;
  const catalogue::Record& record_;
  const size_t recordIndex_;
  const catalogue::CatalogueEntry& entry_;
  const int excludedBefore_; // operations refused for their dtype: eager would have taken them
  const Region region_;
  const bool mayRaise_; // what eager rejects may be kept
  const bool wild_; // any tensor as operand: for errors
  OperandChoice choice_;
  ExprPtr condition_;
  bool conditionHolds_ = false;
};

} // namespace

std::optional<size_t> decodeStatements(DecoderState& state, const catalogue::Recipe& recipe,
                                       const std::set<size_t>& leftOut) {
  for (size_t position = 0; position < std::min(recipe.size(), catalogue::kMaximumRecords); ++position) {
    if (recipe[position].section() != catalogue::Section::kStatement || leftOut.contains(position)) {
      continue;
    }
    if (state.options.onRecord) {
      state.options.onRecord(static_cast<int>(position));
    }
    const IdiomTrial idiom = decodeIdiom(state, recipe[position], position);
    if (idiom == IdiomTrial::kRefused) {
      return position;
    }
    const size_t before = state.statements.size();
    const int attempts = idiom != IdiomTrial::kNone ? 0 : state.options.features.isDense() ? kDenseAttempts : 1;
    for (int attempt = 0; attempt < attempts && state.statements.size() == before; ++attempt) {
      catalogue::Record record = recipe[position];
      if (attempt > 0) {
        record.key = catalogue::Record::keyIn(
            catalogue::Section::kStatement,
            static_cast<uint32_t>(catalogue::mix(record.key ^ static_cast<uint64_t>(attempt) << 32)));
        record.attributes = catalogue::mix(record.attributes ^ static_cast<uint64_t>(attempt));
      }
      if (!decodeStatement(state, record, position, attempt > 0)) {
        return position;
      }
    }
    if (state.raises()) {
      break; // kept on purpose, as the last one
    }
  }
  return std::nullopt;
}

std::vector<const catalogue::Record*> recordsOf(const catalogue::Recipe& recipe, catalogue::Section section) {
  std::vector<const catalogue::Record*> records;
  for (size_t position = 0; position < std::min(recipe.size(), catalogue::kMaximumRecords); ++position) {
    if (recipe[position].section() == section) {
      records.push_back(&recipe[position]);
    }
  }
  return records;
}

bool decodeStatement(DecoderState& state, const catalogue::Record& record, size_t recordIndex, bool again) {
  return StatementDecoder(state, record, recordIndex, again).run();
}

} // namespace touchstone::decoder
