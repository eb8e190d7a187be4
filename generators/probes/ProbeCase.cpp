#include "generators/probes/ProbeCase.h"

#include "generators/catalogue/Catalogue.h"
#include "generators/decoder/DecoderState.h"
#include "generators/decoder/NamedFunctions.h"
#include "generators/decoder/OperandChoice.h"
#include "program/language/StatementEditing.h"
#include "program/parser/CaseParser.h"

#include <ATen/ops/ones_like.h>
#include <ATen/ops/zeros.h>
#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/version.h>

#include <algorithm>
#include <set>

namespace touchstone::probes {

using language::ExprPtr;

namespace {

constexpr int64_t kSide = 3; // of each dimension: what is square fits most
constexpr uint64_t kAttributeSeeds = 8; // tried for each spelling
constexpr int64_t kFirstSeed = 7;
const char* const kKind = "uniform";

/// What an operand is made of.
struct ProbeOperand {
  enum class Source { kTensor, kNumber, kSizes };
  Source source = Source::kTensor;
  std::vector<int64_t> sizes;
  at::ScalarType dtype = at::kFloat;
};

/// Sizes of a first operand, the likeliest first.
std::vector<std::vector<int64_t>> subjectSizes(const catalogue::Operator& op) {
  std::vector<std::vector<int64_t>> result;
  for (const std::vector<int64_t>& sizes : {std::vector<int64_t>{kSide, kSide},
                                            {kSide},
                                            {2, kSide, kSide},
                                            {1, 2, kSide, kSide},
                                            {1, 1, 2, kSide, kSide},
                                            {}}) {
    const int rank = static_cast<int>(sizes.size());
    if (rank >= op.minimumRank && rank <= op.maximumRank) {
      result.push_back(sizes);
    }
  }
  return result;
}

/// What may fit beside the first operand, the likeliest first.
std::vector<ProbeOperand> candidatesBeside(const ProbeOperand& subject, const decoder::AttributeContext& context) {
  using Source = ProbeOperand::Source;
  std::vector<ProbeOperand> candidates = {
      subject,
      {Source::kTensor, subject.sizes, at::kBool},
      {Source::kTensor, subject.sizes, at::kLong},
      {Source::kTensor, subject.sizes, at::kFloat},
      {Source::kTensor, {}, subject.dtype},
      {Source::kTensor, {kSide}, at::kLong},
  };
  if (!subject.sizes.empty()) {
    candidates.push_back({Source::kTensor, {subject.sizes.back()}, subject.dtype});
    ProbeOperand source = subject; // as many rows as there are drawn indices
    source.sizes.at(static_cast<size_t>(decoder::drawnDimension(context))) = decoder::drawnIndexCount(context);
    candidates.push_back(source);
  }
  return candidates;
}

decoder::Variable operandVariable(const at::Tensor& tensor) {
  decoder::Variable variable;
  variable.value = values::Value(tensor);
  return variable;
}

bool canRequireGrad(at::ScalarType dtype) {
  return at::isFloatingType(dtype) || at::isComplexType(dtype);
}

/// Makes the Case, one statement after the other, running each.
class ProbeBuilder {
 public:
  ProbeBuilder(const catalogue::CatalogueEntry& entry, const ProbeSpecification& probe)
      : entry_(entry), probe_(probe) {}

  std::optional<language::Case> build() {
    const bool needsGrad =
        !entry_->operands.empty() && entry_->operands.front() == catalogue::OperandConstraint::kDifferentiable;
    gradient_ = probe_.backward || needsGrad;
    if (!hasSubject()) {
      subject_ = {ProbeOperand::Source::kTensor, {kSide, kSide}, at::kFloat};
      if (probe_.dtype == at::kFloat) {
        acceptSpellings();
      }
    } else if (!probe_.backward || canRequireGrad(probe_.dtype)) {
      for (const std::vector<int64_t>& sizes : subjectSizes(*entry_.description)) {
        if (accepted_.empty() && isSubject(sizes)) {
          acceptSpellings();
        }
      }
    }
    if (accepted_.empty()) {
      return std::nullopt;
    }
    language::Case theCase = caseOf(accepted_);
    return finish(theCase) ? std::optional(language::withoutUnusedFunctions(std::move(theCase))) : std::nullopt;
  }

 private:
  using Accepted = std::vector<std::pair<const catalogue::Spelling*, uint64_t>>;

  bool hasSubject() const {
    return !entry_->operands.empty() && entry_->operands.front() != catalogue::OperandConstraint::kNumber &&
           entry_->operands.front() != catalogue::OperandConstraint::kSizes;
  }

  /// Whether a tensor of these sizes fits as the first operand; it is the subject then.
  bool isSubject(const std::vector<int64_t>& sizes) {
    subject_ = {ProbeOperand::Source::kTensor, sizes, probe_.dtype};
    subjectTensor_ = at::zeros(sizes, at::TensorOptions().dtype(probe_.dtype));
    if (gradient_ && canRequireGrad(probe_.dtype)) {
      subjectTensor_ = subjectTensor_.requires_grad_().clone();
    }
    const decoder::ConstraintContext context{
        .first = {}, .second = {}, .gradEnabled = true, .attributes = attributes(0)};
    return decoder::fits(entry_->operands.front(), operandVariable(subjectTensor_), context);
  }

  void acceptSpellings() {
    std::set<at::ScalarType> usual; // dtypes that the first spelling makes
    for (const catalogue::Spelling& spelling : entry_.spellings) {
      std::set<at::ScalarType> made;
      const std::optional<uint64_t> seed = firstAccepted(spelling, made);
      if (!seed.has_value()) {
        continue;
      }
      usual = accepted_.empty() ? made : usual;
      // One that makes another dtype besides would be refused for that dtype, not for the operator.
      if (std::includes(usual.begin(), usual.end(), made.begin(), made.end())) {
        accepted_.emplace_back(&spelling, *seed);
      }
    }
  }

  /// The operands beside the first, as they fit; none: one finds nothing that does.
  std::optional<std::vector<ProbeOperand>> operandsBeside(uint64_t seed) const {
    std::vector<ProbeOperand> chosen;
    decoder::ConstraintContext context{
        .first = subjectTensor_, .second = {}, .gradEnabled = true, .attributes = attributes(seed)};
    for (size_t operand = hasSubject() ? 1 : 0; operand < entry_->operands.size(); ++operand) {
      const catalogue::OperandConstraint fit = entry_->operands[operand];
      if (fit == catalogue::OperandConstraint::kNumber || fit == catalogue::OperandConstraint::kSizes) {
        const bool number = fit == catalogue::OperandConstraint::kNumber;
        chosen.push_back({number ? ProbeOperand::Source::kNumber : ProbeOperand::Source::kSizes, {}, at::kLong});
        continue;
      }
      bool found = false;
      for (const ProbeOperand& candidate : candidatesBeside(subject_, context.attributes)) {
        const at::Tensor tensor = at::zeros(candidate.sizes, at::TensorOptions().dtype(candidate.dtype));
        if (!found && decoder::fits(fit, operandVariable(tensor), context)) {
          found = true;
          context.second = operand == 1 ? tensor : context.second;
          chosen.push_back(candidate);
        }
      }
      if (!found) {
        return std::nullopt;
      }
    }
    return chosen;
  }

  decoder::AttributeContext attributes(uint64_t seed) const {
    return {.seed = seed, .subject = subjectTensor_, .options = options_};
  }

  /// The first seed of attributes with which eager takes the spelling, and the dtypes of the tensors that it then makes.
  std::optional<uint64_t> firstAccepted(const catalogue::Spelling& spelling, std::set<at::ScalarType>& made) const {
    for (uint64_t seed = 0; seed < kAttributeSeeds; ++seed) {
      const bool drawable =
          std::all_of(spelling.attributes.begin(), spelling.attributes.end(), [&](const std::string& name) {
            return decoder::drawAttribute(name, attributes(catalogue::mix(seed))).has_value();
          });
      if (drawable && operandsBeside(catalogue::mix(seed)).has_value() &&
          runs(caseOf({{&spelling, catalogue::mix(seed)}}), made)) {
        return catalogue::mix(seed);
      }
    }
    return std::nullopt;
  }

  static bool runs(const language::Case& theCase, std::set<at::ScalarType>& made) {
    made.clear();
    evaluator::EvaluatorOptions options;
    options.onOperation = [&](const c10::OperatorHandle& op, torch::jit::Stack& stack) {
      op.callBoxed(stack);
      for (const c10::IValue& value : stack) {
        if (value.isTensor() && value.toTensor().defined()) {
          made.insert(value.toTensor().scalar_type());
        }
      }
      return true;
    };
    try {
      evaluator::Evaluator evaluator(theCase, options);
      evaluator.call("program", evaluator.makeInputs("inputs", kFirstSeed, kKind).arguments);
      return true;
    } catch (const std::exception&) {
      return false;
    }
  }

  language::Case caseOf(const Accepted& spellings) const {
    language::Case theCase;
    theCase.setHeader("torch", TORCH_VERSION);
    decoder::InputSpecification inputs;
    const auto addArgument = [&](const ProbeOperand& operand) {
      decoder::ArgumentSpecification argument;
      argument.base = static_cast<int>(inputs.bases.size());
      const bool leaf = gradient_ && canRequireGrad(operand.dtype);
      inputs.bases.push_back({.number = argument.base,
                              .sizes = operand.sizes,
                              .dtype = operand.dtype,
                              .gradient = leaf ? decoder::BaseSpecification::Gradient::kLeaf
                                               : decoder::BaseSpecification::Gradient::kNone});
      inputs.arguments.push_back(argument);
      return language::makeName("x" + std::to_string(argument.base));
    };
    language::Function program;
    program.name = "program";
    std::vector<ExprPtr> results, clones;
    const ExprPtr subject = addArgument(subject_);
    for (size_t index = 0; index < spellings.size(); ++index) {
      const auto& [spelling, seed] = spellings[index];
      const std::string number = std::to_string(index);
      const ExprPtr clone = language::makeName("a" + number);
      program.body.push_back(language::makeAssign({clone}, language::makeMethodCall(subject, "clone", {})));
      decoder::Bindings bindings;
      const std::vector<ProbeOperand> beside = operandsBeside(seed).value();
      for (size_t operand = 0; operand < entry_->operands.size(); ++operand) {
        static const char* const kNames[] = {"A", "B", "C"};
        const bool first = operand == 0 && hasSubject();
        const ProbeOperand made = first ? subject_ : beside.at(operand - (hasSubject() ? 1 : 0));
        bindings.emplace_back(
            kNames[operand],
            std::vector<ExprPtr>{first ? clone : operandName(made, clone, number, program, addArgument)});
      }
      for (const std::string& attribute : spelling->attributes) {
        bindings.emplace_back(attribute, *decoder::drawAttribute(attribute, attributes(seed)));
      }
      const ExprPtr result = language::makeName("y" + number);
      program.body.push_back(decoder::spelledStatement(*spelling, bindings, entry_->namesResult() ? result : nullptr));
      (entry_->namesResult() ? clones : results).push_back(clone);
      if (entry_->namesResult()) {
        results.push_back(result);
      }
    }
    for (size_t index = 0; index < inputs.arguments.size(); ++index) {
      program.parameters.push_back("x" + std::to_string(index));
    }
    results.insert(results.end(), clones.begin(), clones.end());
    program.body.push_back(language::makeReturn(language::makeTuple(std::move(results))));
    theCase.functions = {inputs.function("inputs")};
    decoder::addNamedFunctions(theCase, /*operators=*/0);
    theCase.functions.push_back(std::move(program));
    return theCase;
  }

  /// A name for an operand beside the subject: an argument, or what the Program reads of the clone.
  template <class AddArgument>
  static ExprPtr operandName(const ProbeOperand& operand, const ExprPtr& clone, const std::string& number,
                             language::Function& program, AddArgument addArgument) {
    if (operand.source == ProbeOperand::Source::kTensor) {
      return addArgument(operand);
    }
    const ExprPtr name = language::makeName("n" + number);
    const bool isNumber = operand.source == ProbeOperand::Source::kNumber;
    program.body.push_back(language::makeAssign(
        {name}, language::makeMethodCall(
                    clone, "size", isNumber ? std::vector<ExprPtr>{language::makeInt(0)} : std::vector<ExprPtr>())));
    return name;
  }

  /// Adds the calls; false: a backward is asked for and there is none.
  bool finish(language::Case& theCase) const {
    std::optional<std::vector<language::BackwardRoot>> backward;
    if (probe_.backward) {
      backward = differentiableResults(theCase);
      if (!backward.has_value()) {
        return false;
      }
    }
    for (int64_t call = 0; call < 2; ++call) {
      language::CallSpec& spec = theCase.calls.emplace_back();
      spec.inputs = "inputs";
      spec.seed = kFirstSeed + call;
      spec.kind = kKind;
      spec.backward = backward;
    }
    return true;
  }

  /// The results, without the clones that nothing was done to, that eager has gradients of.
  std::optional<std::vector<language::BackwardRoot>> differentiableResults(const language::Case& theCase) const {
    try {
      evaluator::Evaluator evaluator(theCase);
      const evaluator::InputSet inputs = evaluator.makeInputs("inputs", kFirstSeed, kKind);
      const values::Value result = evaluator.call("program", inputs.arguments);
      std::vector<at::Tensor> outputs, leaves, used, tangents;
      values::collectTensors(result, outputs);
      for (const values::Value& argument : inputs.arguments) {
        if (argument.isTensor() && argument.tensor().requires_grad()) {
          leaves.push_back(argument.tensor());
        }
      }
      const size_t end = outputs.size() - (entry_->namesResult() ? accepted_.size() : 0);
      std::vector<language::BackwardRoot> roots;
      for (size_t index = 0; index < end; ++index) {
        if (outputs[index].requires_grad() && canRequireGrad(outputs[index].scalar_type())) {
          roots.push_back({.isArgument = false, .index = static_cast<int>(index)});
          used.push_back(outputs[index]);
          tangents.push_back(at::ones_like(outputs[index].detach()));
        }
      }
      if (roots.empty()) {
        return std::nullopt;
      }
      torch::autograd::grad(used, leaves, tangents, /*retain_graph=*/false, /*create_graph=*/false,
                            /*allow_unused=*/true);
      return roots;
    } catch (const std::exception&) {
      return std::nullopt;
    }
  }

  const catalogue::CatalogueEntry& entry_;
  const ProbeSpecification& probe_;
  const decoder::DecodeOptions options_;
  bool gradient_ = false;
  ProbeOperand subject_;
  at::Tensor subjectTensor_; // like the first argument, for fits and attributes
  Accepted accepted_;
};

} // namespace

std::optional<language::Case> probeCase(const ProbeSpecification& probe) {
  const c10::AutoGradMode gradEnabled(true);
  for (const catalogue::CatalogueEntry& entry : catalogue::catalogue()) {
    if (entry->name == probe.operatorName) {
      return ProbeBuilder(entry, probe).build();
    }
  }
  return std::nullopt;
}

} // namespace touchstone::probes
