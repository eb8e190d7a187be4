#include "generators/decoder/OperandChoice.h"

#include <algorithm>

namespace touchstone::decoder {

using language::ExprPtr;
using language::Statement;
using language::StatementPtr;
using values::Value;

namespace {

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

/// One OperandChoice on its way.
class OperandChooser {
 public:
  OperandChooser(const DecoderState& state, const catalogue::Record& record, const catalogue::CatalogueEntry& entry,
                 bool gradEnabled, bool isWild)
      : state_(state), record_(record), entry_(entry), gradEnabled_(gradEnabled), isWild_(isWild) {}

  std::optional<OperandChoice> run() {
    if (!chooseAll() || !factorsFit() || !chooseSpelling()) {
      return std::nullopt;
    }
    return std::move(choice_);
  }

 private:
  bool chooseAll() {
    ConstraintContext context{.first = {},
                              .second = {},
                              .gradEnabled = gradEnabled_,
                              .attributes = {.seed = record_.attributes, .subject = {}, .options = state_.options}};
    for (size_t operand = 0; operand < entry_->operands.size(); ++operand) {
      const std::optional<size_t> chosen = chooseOperand(operand, context);
      if (!chosen) {
        return false;
      }
      choice_.operands.push_back(*chosen);
      const Value& value = state_.variables[*chosen].value;
      if (operand == 0 && value.isTensor()) {
        choice_.subject = context.first = context.attributes.subject = value.tensor();
      } else if (operand == 1 && value.isTensor()) {
        context.second = value.tensor();
      }
    }
    return true;
  }

  bool hasRank(const at::Tensor& tensor) const {
    return tensor.dim() >= entry_->minimumRank && tensor.dim() <= entry_->maximumRank;
  }

  bool isCandidate(size_t operand, const Variable& variable, const ConstraintContext& context) const {
    const bool isTensor = variable.value.isTensor();
    if (isWild_) {
      return isTensor;
    }
    if (!fits(entry_->operands[operand], variable, context)) {
      return false;
    }
    if (entry_->has(catalogue::kNoGradient) && gradEnabled_ && isTensor && variable.value.tensor().requires_grad()) {
      return false;
    }
    return operand != 0 || !isTensor ||
           (hasRank(variable.value.tensor()) &&
            !(entry_->has(catalogue::kFull) && variable.value.tensor().numel() == 0));
  }

  std::optional<size_t> chooseOperand(size_t operand, const ConstraintContext& context) {
    const bool target = operand == 0 && entry_->writes();
    catalogue::Draw draw(record_.attributes ^ operand, "operand");
    // Unused values first: what nothing reads reaches no output. Writes go to inputs often.
    const int64_t roll = draw.below(100);
    const bool preferUnused = roll < 45;
    const bool preferInput = target && roll >= 60;
    std::vector<size_t> candidates, preferred;
    for (size_t index = state_.variables.size(); index-- > 0;) {
      const Variable& variable = state_.variables[index];
      if (!isCandidate(operand, variable, context)) {
        continue;
      }
      candidates.push_back(index);
      if ((preferUnused && variable.uses == 0) || (preferInput && variable.isInput)) {
        preferred.push_back(index);
      }
    }
    if (state_.options.features.isDense() && !isWild_) {
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
    for (const size_t operand : choice_.operands) {
      const Value& value = state_.variables[operand].value;
      const int count = value.isTensor() ? state_.factorsOf(value.tensor()) : 1;
      most = std::max(most, count);
      sum += count;
    }
    if (!entry_->has(catalogue::kProduct)) {
      choice_.factors = std::max(most, 1);
    } else {
      choice_.factors = choice_.operands.size() == 1 ? 2 * most : sum; // one operand: with itself, or with a number
    }
    return isWild_ || choice_.factors <= kMaximumFactors;
  }

  bool chooseSpelling() {
    catalogue::Draw draw(record_.attributes, "spelling");
    choice_.spelling = &entry_.spellings[static_cast<size_t>(draw.below(std::ssize(entry_.spellings)))];
    if (entry_->has(catalogue::kProduct) && choice_.operands.size() == 1 && state_.options.features.exactOnly &&
        !choice_.spelling->attributes.empty()) {
      // A product with a drawn number, which has one factor, not with itself.
      choice_.factors = choice_.factors / 2 + 1;
      if (!isWild_ && choice_.factors > kMaximumFactors) {
        return false;
      }
    }
    std::optional<Bindings> bindings =
        bindPlaceholders(state_, choice_.operands, choice_.spelling->attributes,
                         {.seed = record_.attributes, .subject = choice_.subject, .options = state_.options});
    if (!bindings) {
      return false;
    }
    choice_.bindings = std::move(*bindings);
    return true;
  }

  const DecoderState& state_;
  const catalogue::Record& record_;
  const catalogue::CatalogueEntry& entry_;
  const bool gradEnabled_;
  const bool isWild_;
  OperandChoice choice_;
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

std::optional<Bindings> bindPlaceholders(const DecoderState& state, std::span<const size_t> operands,
                                         const std::vector<std::string>& attributes, const AttributeContext& context) {
  static constexpr std::string_view kOperandNames[] = {"A", "B", "C"};
  Bindings bindings;
  for (size_t operand = 0; operand < operands.size(); ++operand) {
    bindings.emplace_back(kOperandNames[operand],
                          std::vector<ExprPtr>{language::makeName(state.variables[operands[operand]].name)});
  }
  for (const std::string& attribute : attributes) {
    std::optional<std::vector<ExprPtr>> drawn = drawAttribute(attribute, context);
    if (!drawn) {
      return std::nullopt;
    }
    bindings.emplace_back(attribute, std::move(*drawn));
  }
  return bindings;
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
  statement.kind = language::StatementKind::kAugmentedAssign;
  statement.text = std::string(spelling.assignment);
  statement.targets = {target};
  statement.value = value;
  return std::make_shared<const Statement>(std::move(statement));
}

std::optional<OperandChoice> chooseOperands(const DecoderState& state, const catalogue::Record& record,
                                            const catalogue::CatalogueEntry& entry, bool gradEnabled, bool isWild) {
  return OperandChooser(state, record, entry, gradEnabled, isWild).run();
}

} // namespace touchstone::decoder
