#include "generators/decoder/DecoderIdioms.h"
#include "generators/decoder/DecoderState.h"
#include "program/parser/CaseParser.h"

#include <c10/core/GradMode.h>

#include <algorithm>

namespace touchstone::decoder {

using language::ExprPtr;
using language::Statement;
using language::StatementKind;
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

/// The spliced placeholders of a list of children.
std::vector<ExprPtr> instantiateAll(const std::vector<ExprPtr>& patterns, const Bindings& bindings) {
  std::vector<ExprPtr> made;
  made.reserve(patterns.size());
  for (const ExprPtr& pattern : patterns) {
    if (pattern && pattern->kind == language::ExprKind::kName) {
      const auto bound = std::find_if(bindings.begin(), bindings.end(),
                                      [&](const auto& binding) { return binding.first == pattern->text; });
      if (bound != bindings.end()) {
        made.insert(made.end(), bound->second.begin(), bound->second.end());
        continue;
      }
    }
    made.push_back(instantiate(pattern, bindings));
  }
  return made;
}

/// A derivative that is zero everywhere takes the gradient from all that comes before.
bool hasZeroDerivative(const catalogue::Operator& op) {
  constexpr std::string_view kNames[] = {
      "floor", "ceil", "trunc", "round", "round_decimals", "sign", "sgn", "div_rounded", "floor_divide_tensor"};
  return std::find(std::begin(kNames), std::end(kNames), op.name) != std::end(kNames);
}

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
    if (isSpared || !chooseOperands() || !chooseSpelling()) {
      ++state_.statistics.precluded;
      return true;
    }
    drawCondition();
    const RegionScope region(region_);
    if (entry_->has(catalogue::kMutates) && !trialSucceeds()) {
      return true;
    }
    return apply();
  }

  bool gradEnabled() const { return leavesGradOn(region_); }

  /// What a branch around the statement may ask of its first operand, and how that is answered now.
  void drawCondition() {
    if (!subject_.defined() || drawShape(record_.attributes, state_.options.features) != Shape::kBranch) {
      return;
    }
    const ExprPtr operand = bindings_[0].second[0];
    catalogue::Draw draw(record_.attributes, "condition");
    const int64_t roll = draw.below(100);
    const int64_t bound = draw.between(1, 3);
    const auto compare = [&](ExprPtr left, const char* op, int64_t value, int64_t right) {
      condition_ = language::makeBinary(op, std::move(left), language::makeInt(right));
      conditionHolds_ = std::string_view(op) == ">" ? value > right : value == right;
    };
    if (roll < 30 && subject_.dim() > 0) {
      compare(language::makeMethodCall(operand, "size", {language::makeInt(0)}), ">", subject_.size(0), bound);
    } else if (roll < 50) {
      compare(language::makeMethodCall(operand, "dim", {}), "==", subject_.dim(), bound);
    } else if (roll < 70) {
      compare(language::makeMethodCall(operand, "numel", {}), ">", subject_.numel(), 2 * bound);
    } else if (roll < 80) {
      condition_ = language::makeMethodCall(operand, "is_contiguous", {});
      conditionHolds_ = subject_.is_contiguous();
    } else if (roll < 90) {
      condition_ = language::makeAttribute(operand, "requires_grad");
      conditionHolds_ = subject_.requires_grad();
    } else if (state_.options.features.dataBranches && !subject_.is_complex()) { // of values: the graph breaks there
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
    for (size_t operand : operands_) {
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
      made.push_back(subject_);
    }
    state_.uses->add(entry_->name, state_.statements.back().statement, operands, others, made);
  }

  bool chooseOperands() {
    ConstraintContext context{.first = {},
                              .second = {},
                              .gradEnabled = gradEnabled(),
                              .attributes = {.seed = record_.attributes, .subject = {}, .options = state_.options}};
    for (size_t operand = 0; operand < entry_->operands.size(); ++operand) {
      const std::optional<size_t> chosen = chooseOperand(operand, context);
      if (!chosen) {
        return false;
      }
      operands_.push_back(*chosen);
      const Value& value = state_.variables[*chosen].value;
      if (operand == 0 && value.isTensor()) {
        const at::Tensor& tensor = value.tensor();
        if (!wild_ && (tensor.dim() < entry_->minimumRank || tensor.dim() > entry_->maximumRank)) {
          return false;
        }
        context.first = context.attributes.subject = tensor;
        subject_ = tensor;
      } else if (operand == 1 && value.isTensor()) {
        context.second = value.tensor();
      }
    }
    return factorsFit();
  }

  std::optional<size_t> chooseOperand(size_t operand, const ConstraintContext& context) {
    const catalogue::OperandConstraint fit = entry_->operands[operand];
    const bool target = operand == 0 && entry_->writes();
    catalogue::Draw draw(record_.attributes ^ operand, "operand");
    // Unused values first: what nothing reads reaches no output. Writes go to inputs often.
    const int64_t roll = draw.below(100);
    const bool preferUnused = roll < 45;
    const bool preferInput = target && roll >= 60;
    std::vector<size_t> candidates, preferred;
    for (size_t index = state_.variables.size(); index-- > 0;) {
      const Variable& variable = state_.variables[index];
      const bool tensor = variable.value.isTensor();
      if (wild_ ? !tensor : !fits(fit, variable, context)) {
        continue;
      }
      if (entry_->has(catalogue::kNoGradient) && !wild_ && gradEnabled() && tensor &&
          variable.value.tensor().requires_grad()) {
        continue;
      }
      if (operand == 0 && !wild_ && tensor) {
        const int64_t rank = variable.value.tensor().dim();
        if (rank < entry_->minimumRank || rank > entry_->maximumRank) {
          continue;
        }
        if (entry_->has(catalogue::kFull) && variable.value.tensor().numel() == 0) {
          continue;
        }
      }
      candidates.push_back(index);
      if ((preferUnused && variable.uses == 0) || (preferInput && variable.isInput)) {
        preferred.push_back(index);
      }
    }
    if (state_.options.features.isDense() && !wild_) {
      preferred = preferredWhereDense(operand, target, candidates);
    }
    const std::vector<size_t>& chosen = preferred.empty() ? candidates : preferred;
    if (chosen.empty()) {
      return std::nullopt;
    }
    return chosen[distanceBack(record_.pick(static_cast<int>(operand)), chosen.size())];
  }

  /// Of the candidates, the latest first, those that make the Program dense: what nothing has read yet, at times what something
  /// has read, so that it goes two ways; where gradients are wanted, what requires grad. Empty: any.
  std::vector<size_t> preferredWhereDense(size_t operand, bool target, const std::vector<size_t>& candidates) const {
    catalogue::Draw draw(record_.attributes ^ operand, "dense operand");
    const int64_t roll = draw.below(100);
    const bool anyGradient = !state_.options.features.wantsGradients() || !draw.chance(90);
    std::vector<size_t> unused, unusedInputs, read, differentiable;
    for (const size_t index : candidates) {
      const Variable& variable = state_.variables[index];
      if (!anyGradient && !(variable.value.isTensor() && variable.value.tensor().requires_grad())) {
        continue;
      }
      differentiable.push_back(index);
      if (variable.uses == 0 && !(target && variable.isInput)) {
        unused.push_back(index);
        if (variable.isInput) {
          unusedInputs.push_back(index);
        }
      } else if (!variable.isInput) {
        read.push_back(index);
      }
    }
    if (operand > 0 && roll % 2 == 0 && !unusedInputs.empty() && !anyGradient) { // joins another leaf
      return unusedInputs;
    }
    const std::vector<size_t>& wanted = roll < 72 ? unused : roll < 88 ? read : differentiable;
    return wanted.empty() ? differentiable : wanted;
  }

  /// Exact mode: bounds how many grid values are multiplied.
  bool factorsFit() {
    if (!state_.options.features.exactOnly) {
      return true;
    }
    int most = 0, sum = 0;
    for (size_t operand : operands_) {
      const Value& value = state_.variables[operand].value;
      int count = 1;
      if (value.isTensor()) {
        const auto known = state_.factors.find(value.tensor().storage().unsafeGetStorageImpl());
        count = known == state_.factors.end() ? 1 : known->second;
      }
      most = std::max(most, count);
      sum += count;
    }
    if (!entry_->has(catalogue::kProduct)) {
      factors_ = std::max(most, 1);
    } else {
      factors_ = operands_.size() == 1 ? 2 * most : sum; // one operand: with itself, or with a number
    }
    return wild_ || factors_ <= kMaximumFactors;
  }

  bool chooseSpelling() {
    catalogue::Draw draw(record_.attributes, "spelling");
    spelling_ = &entry_.spellings[static_cast<size_t>(draw.below(static_cast<int64_t>(entry_.spellings.size())))];
    if (entry_->has(catalogue::kProduct) && operands_.size() == 1 && state_.options.features.exactOnly &&
        !spelling_->attributes.empty()) {
      // A product with a drawn number, which has one factor, not with itself.
      const int count = factors_ / 2 + 1;
      factors_ = count;
      if (!wild_ && count > kMaximumFactors) {
        return false;
      }
    }
    static const char* const kOperandNames[] = {"A", "B", "C"};
    for (size_t operand = 0; operand < operands_.size(); ++operand) {
      bindings_.emplace_back(kOperandNames[operand],
                             std::vector<ExprPtr>{language::makeName(state_.variables[operands_[operand]].name)});
    }
    const AttributeContext context{.seed = record_.attributes, .subject = subject_, .options = state_.options};
    for (const std::string& attribute : spelling_->attributes) {
      std::optional<std::vector<ExprPtr>> drawn = drawAttribute(attribute, context);
      if (!drawn) {
        return false;
      }
      bindings_.emplace_back(attribute, std::move(*drawn));
    }
    return true;
  }

  /// Writes are tried on a clone of the operand first, without autograd: what the kernels refuse, and what would leave
  /// the bounds, has then written nothing.
  bool trialSucceeds() {
    Bindings bindings = bindings_;
    bindings[0].second = {language::makeName(kTrialName)};
    bool accepted = false;
    try {
      c10::AutoGradMode mode(false);
      at::Tensor copy = subject_.detach().clone();
      state_.environment.names[kTrialName] = Value(copy);
      if (spelling_->target) {
        state_.evaluator.execute(*spelledStatement(*spelling_, bindings, nullptr), state_.environment);
      } else {
        state_.evaluator.evaluate(*instantiate(spelling_->value, bindings), state_.environment);
      }
      accepted = copy.sizes() == subject_.sizes() && isAcceptable(copy);
    } catch (const std::exception&) {
      ++state_.statistics.rejected;
      keepIfAsked();
    }
    state_.environment.names.erase(kTrialName);
    return accepted;
  }

  bool isAcceptable(const at::Tensor& tensor) const {
    return tensor.layout() == at::kStrided && tensor.numel() <= state_.options.maximumElements &&
           tensor.dim() <= state_.options.maximumRank &&
           (entry_->has(catalogue::kViews) ||
            valuesAreBounded(tensor, state_.options.features.exactOnly ? kExactBound : kFiniteBound));
  }

  bool apply() {
    try {
      if (spelling_->target) {
        const StatementPtr statement = spelledStatement(*spelling_, bindings_, nullptr);
        state_.evaluator.execute(*statement, state_.environment);
        append(statement, region_);
        accept();
        return true;
      }
      const ExprPtr expression = instantiate(spelling_->value, bindings_);
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

  /// Gradients are wanted, and what the statement makes has none.
  bool lacksGradient(const Value& value) const {
    if (!state_.options.features.wantsGradients() || !entry_->namesResult() ||
        !catalogue::Draw(record_.attributes, "derivative").chance(kDerivativePercent)) {
      return false;
    }
    std::vector<at::Tensor> made;
    values::collectTensors(value, made);
    return hasZeroDerivative(*entry_.description) ||
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
    if (!operands_.empty()) { // a view of a piece, or of what was made under no_grad, is treated alike
      const Variable& operand = state_.variables[operands_[0]];
      variable.piece |= operand.piece;
      variable.madeWithoutGrad |= operand.madeWithoutGrad;
    }
    state_.environment.names[variable.name] = value;
    if (value.isTensor()) {
      int& factors = state_.factors[value.tensor().storage().unsafeGetStorageImpl()];
      factors = std::max(factors, factors_);
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
    for (size_t operand : operands_) {
      ++state_.variables[operand].uses;
    }
    if (entry_->has(catalogue::kMutates)) {
      Variable& target = state_.variables[operands_[0]];
      target.uses = 0; // it has a new value that nothing has read
      int& factors = state_.factors[subject_.storage().unsafeGetStorageImpl()];
      factors = std::max(factors, factors_);
    }
    if (entry_->family == catalogue::OperatorFamily::kCast) {
      const at::Tensor& made = state_.variables.back().value.tensor();
      state_.castsToInteger |= subject_.is_floating_point() && !made.is_floating_point() && !made.is_complex();
    }
    state_.statistics.accepted.emplace_back(entry_->name);
  }

  /// A share of the rejected statements stays, as the last of its Program: both sides must raise.
  void keepIfAsked() {
    if (state_.statistics.excluded > excludedBefore_ ||
        (!wild_ && !(mayRaise_ && catalogue::Draw(record_.attributes, "keep").chance(4)))) {
      return;
    }
    const ExprPtr result = spelling_->target ? nullptr : language::makeName("y" + std::to_string(state_.nextName++));
    append(spelledStatement(*spelling_, bindings_, result), region_);
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
  const catalogue::Spelling* spelling_ = nullptr;
  std::vector<size_t> operands_; // positions in state_.variables
  at::Tensor subject_; // operand A
  Bindings bindings_;
  ExprPtr condition_;
  bool conditionHolds_ = false;
  int factors_ = 1; // of what the statement makes or writes
};

} // namespace

ExprPtr instantiate(const ExprPtr& pattern, const Bindings& bindings) {
  if (!pattern) {
    return pattern;
  }
  if (pattern->kind == language::ExprKind::kName) {
    for (const auto& [name, expressions] : bindings) {
      if (name == pattern->text) {
        return expressions.front();
      }
    }
    return pattern;
  }
  if (pattern->children.empty()) {
    return pattern;
  }
  std::vector<ExprPtr> children = instantiateAll(pattern->children, bindings);
  if (children == pattern->children) { // nothing inside stands for anything
    return pattern;
  }
  return std::make_shared<const language::Expr>(
      language::Expr{pattern->kind, pattern->text, std::move(children), pattern->keywords, pattern->place});
}

StatementPtr spelledStatement(const catalogue::Spelling& spelling, const Bindings& bindings, const ExprPtr& result) {
  const ExprPtr value = instantiate(spelling.value, bindings);
  if (!spelling.target) {
    return result == nullptr ? language::makeExpressionStatement(value) : language::makeAssign({result}, value);
  }
  const ExprPtr target = instantiate(spelling.target, bindings);
  if (spelling.assignment == "=") {
    return language::makeAssign({target}, value);
  }
  Statement statement{};
  statement.kind = StatementKind::kAugmentedAssign;
  statement.text = std::string(spelling.assignment);
  statement.targets = {target};
  statement.value = value;
  return std::make_shared<const Statement>(std::move(statement));
}

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
    if (!state.statements.empty() && state.statements.back().raises) {
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
