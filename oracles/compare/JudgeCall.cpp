#include "oracles/compare/JudgeCall.h"

#include "oracles/compare/ExceptionRules.h"
#include "program/language/StatementEditing.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace touchstone::compare {

namespace {

using language::Outcome;
using language::Property;

std::string exceptionText(const std::optional<observe::ExceptionObservation>& exception) {
  if (!exception) {
    return "returns";
  }
  return fmt::format("raises {}: {}", normalizedClass(exception->type), firstLine(exception->message));
}

std::string bothTexts(const std::optional<observe::ExceptionObservation>& eager,
                      const std::optional<observe::ExceptionObservation>& compiled) {
  return fmt::format("eager {}; compiled {}", exceptionText(eager), exceptionText(compiled));
}

class CallJudge {
 public:
  CallJudge(const Comparison& comparison, const Instability& unstable)
      : comparison_(comparison), unstable_(unstable), eager_(comparison.eager), compiled_(comparison.compiled) {}

  JudgedCall run() {
    if (eager_.exception &&
        (eager_.exception->phase == "inputs" || isOfEagerAlone(eager_.exception, compiled_.exception))) {
      settle(Outcome::kEagerRejected, "", bothTexts(eager_.exception, compiled_.exception));
    } else if (isOfEagerAlone(eager_.backwardException, compiled_.backwardException)) {
      settle(Outcome::kEagerRejected, "", bothTexts(eager_.backwardException, compiled_.backwardException));
    } else if (const observe::ExceptionObservation* refusal = unsupported()) {
      settle(Outcome::kUnsupported, refusal->message, refusal->message);
    } else if (unstable_.exceptions) {
      settle(Outcome::kEagerUnstable, "exceptions", "two eager runs differ in the exceptions that they raise");
    } else if (eager_.exception || compiled_.exception) {
      judgeForwardExceptions();
    } else {
      judgeReturned();
    }
    return std::move(result_);
  }

 private:
  /// An assertion of eager's own, which there is nothing to compare with.
  static bool isOfEagerAlone(const std::optional<observe::ExceptionObservation>& eager,
                             const std::optional<observe::ExceptionObservation>& compiled) {
    return eager && !compiled && eager->message.find("INTERNAL ASSERT") != std::string::npos;
  }

  const observe::ExceptionObservation* unsupported() const {
    for (const auto* exception : {&eager_.exception, &eager_.backwardException}) {
      if (*exception && (*exception)->unsupported) { // the evaluator does not run it
        return &**exception;
      }
    }
    if (compiled_.exception && compiled_.exception->unsupported) {
      return &*compiled_.exception;
    }
    if (compiled_.backwardException && compiled_.backwardException->unsupported) {
      return &*compiled_.backwardException;
    }
    return nullptr;
  }

  bool has(Rule rule) const { return comparison_.has(rule); }
  void allow(Rule rule) { result_.allowed.set(static_cast<size_t>(rule)); }

  /// Takes the outcome if it is worse than what the call has so far.
  void settle(Outcome outcome, std::string detail, std::string message,
              const observe::ExceptionObservation* exception = nullptr) {
    CallVerdict& verdict = result_.verdict;
    if (outcome >= verdict.outcome) {
      return;
    }
    verdict.outcome = outcome;
    verdict.detail = std::move(detail);
    verdict.message = std::move(message);
    verdict.exceptionClass = exception ? normalizedClass(exception->type) : "";
    verdict.property.reset();
    verdict.where.clear();
  }

  void limit(Rule rule, const observe::ExceptionObservation& exception, const std::string& message) {
    allow(rule);
    settle(Outcome::kLimit, std::string(ruleTable()[static_cast<size_t>(rule)].name), message, &exception);
  }

  /// Eager alone raised: by A10 a refusal that is missing, or listed; else a difference in what the call gives.
  void accepts(std::string detail, const std::string& message, const observe::ExceptionObservation& eager) {
    if (has(Rule::kA10)) {
      allow(Rule::kA10);
      const bool owesRefusal = isRefusalOfArgument(eager) && !dropsUnreadOperators(comparison_.set);
      const Outcome outcome = owesRefusal ? Outcome::kMissingRefusal : Outcome::kBackendAccepts;
      return settle(outcome, std::move(detail), message, &eager);
    }
    const Property property = detail.empty() ? Property::kStructure : Property::kGradientPresence;
    if (roundingDecidesWay()) {
      return settle(Outcome::kIllConditioned, std::string(language::propertyName(property)), message);
    }
    settle(Outcome::kDiffers, std::move(detail), message, &eager);
    if (result_.verdict.outcome == Outcome::kDiffers && !result_.verdict.property) {
      result_.verdict.property = property;
    }
  }

  // ------------------------------------------------------------------ exceptions

  void judgeForwardExceptions() {
    result_.inputsDiverge = true;
    if (eager_.exception && compiled_.exception) {
      if (!judgeBoth(*eager_.exception, *compiled_.exception)) {
        return;
      }
      CallFindings findings;
      compareInputsAfterRaise(comparison_, findings);
      takeDifferences(std::move(findings));
      settle(Outcome::kBothRejected, "", bothTexts(eager_.exception, compiled_.exception), &*compiled_.exception);
      return;
    }
    if (compiled_.exception) {
      judgeRefusal(*compiled_.exception, eager_.exception);
      return;
    }
    accepts("", bothTexts(eager_.exception, compiled_.exception), *eager_.exception);
  }

  /// A node of eager's own backward raises the same.
  bool isErrorOfSomeNode(const observe::ExceptionObservation& compiled) const {
    if (!comparison_.reference) {
      return false;
    }
    const std::vector<observe::ExceptionObservation>& errors = comparison_.reference->errorsOfNodes(comparison_.call);
    return std::any_of(errors.begin(), errors.end(), [&](const observe::ExceptionObservation& each) {
      return comparableLine(each.message) == comparableLine(compiled.message);
    });
  }

  /// Both sides raised. True when they count as equal (A11).
  bool judgeBoth(const observe::ExceptionObservation& eager, const observe::ExceptionObservation& compiled) {
    const std::string message = bothTexts(eager, compiled);
    const bool sameClass = normalizedClass(eager.type) == normalizedClass(compiled.type);
    const bool sameLine = comparableLine(eager.message) == comparableLine(compiled.message);
    if (sameClass && sameLine) {
      return true;
    }
    const bool likeWords =
        isChangedInPlace(compiled) && (changesBetween() || isChangedView(eager) || !isChangedView(compiled));
    const bool isLater = eager.phase == "backward" && compiled.phase == "backward";
    if (has(Rule::kA16) && isChangedInPlace(eager) &&
        (likeWords || ((isLater || isChangedInPlace(compiled)) && isErrorOfSomeNode(compiled)))) {
      // Each names the first tensor of those it saved that it came by.
      allow(Rule::kA16);
      return true;
    }
    if (has(Rule::kA16) && isMovedLeaf(eager) && isChangedInPlace(compiled) && compiled.phase == eager.phase) {
      // One write has done both, moved a leaf and changed a saved tensor; eager came by the leaf first.
      allow(Rule::kA16);
      return true;
    }
    if (has(Rule::kA16) && isChangedInPlace(eager) && changesBetween() && comparison_.reference) {
      // What eager raises when nothing is changed: it would have come to that later.
      const observe::CallObservation& unchanged = comparison_.reference->withoutChange(comparison_.call)
                                                      .first()
                                                      .calls.at(static_cast<size_t>(comparison_.call));
      if (unchanged.backwardException &&
          comparableLine(unchanged.backwardException->message) == comparableLine(compiled.message)) {
        allow(Rule::kA16);
        return true;
      }
    }
    if (has(Rule::kA8) && compiled.phase == "backward" && comparison_.reference) {
      const std::optional<observe::ExceptionObservation> full =
          comparison_.reference->fullBackwardError(comparison_.call);
      const bool isOfFull = full && comparableLine(full->message) == comparableLine(compiled.message);
      if (isOfFull || (eager.phase == "backward" && isErrorOfSomeNode(compiled))) {
        allow(Rule::kA8);
        return true;
      }
    }
    if (has(Rule::kA13) && isDocumentedRefusal(compiled, comparison_.set)) {
      limit(Rule::kA13, compiled, message);
      return false;
    }
    if (isInternalError(compiled, &eager)) {
      settle(Outcome::kInternalError, phaseName(compiled), message, &compiled);
      return false;
    }
    if (has(Rule::kA11)) {
      if (!sameClass) {
        allow(Rule::kA11);
      }
      return true;
    }
    if (sameClass && !comparesMessages(comparison_.set)) {
      return true;
    }
    if (compiled.phase != "compile" && roundingDecidesWay()) {
      settle(Outcome::kIllConditioned, "exception", message, &compiled);
      return false;
    }
    settle(Outcome::kBackendRejected, phaseName(compiled), message, &compiled);
    return false;
  }

  /// The compiled side alone raised.
  void judgeRefusal(const observe::ExceptionObservation& compiled,
                    const std::optional<observe::ExceptionObservation>& eager) {
    const std::string message = bothTexts(eager, compiled);
    if (has(Rule::kA13) && isDocumentedRefusal(compiled, comparison_.set)) {
      return limit(Rule::kA13, compiled, message);
    }
    const bool internal = isInternalError(compiled, nullptr);
    if (has(Rule::kA9) && !internal && isPoisoned()) {
      return limit(Rule::kA9, compiled, message);
    }
    if (has(Rule::kA14) && !internal && eager_.overlapWritten) {
      return limit(Rule::kA14, compiled, message);
    }
    if (has(Rule::kA16) && isChangedInPlace(compiled) && (changesBetween() || changesBehindBreak(compiled))) {
      return limit(Rule::kA16, compiled, message);
    }
    if (has(Rule::kA16) && isDetachedLater(compiled) && compiled.phase == "backward" && detachesBehindBreak()) {
      return limit(Rule::kA16, compiled, message);
    }
    if (has(Rule::kA8) && isEarlyError(compiled)) {
      return limit(Rule::kA8, compiled, message);
    }
    if (!internal && compiled.phase != "compile" && roundingDecidesWay()) {
      return settle(Outcome::kIllConditioned, "exception", message, &compiled);
    }
    settle(internal ? Outcome::kInternalError : Outcome::kBackendRejected, phaseName(compiled), message, &compiled);
  }

  /// A7: the two sides may have gone different ways through the Program.
  bool roundingDecidesWay() const {
    if (!has(Rule::kA7) || !mayDecompose(comparison_.set) || !comparison_.reference) {
      return false;
    }
    for (int call = 0; call <= comparison_.call; ++call) {
      if (!comparison_.reference->exactCall(call)) {
        return comparison_.reference->roundingDecidesWay(comparison_.call);
      }
    }
    return false; // nothing rounds
  }

  /// A14, A15: the Program goes its way by a number that was read from tainted elements, and may as well have gone another.
  std::optional<Rule> openingTheWay() const {
    if (!mayBeUnspecified(comparison_)) {
      return std::nullopt;
    }
    const taint::TaintMask tainted = comparison_.reference->taintOfWay(comparison_.call);
    return excusing(comparison_, tainted);
  }

  /// A8: the compiled side found the error of eager's full backward, or, where its words are its own and the call has a
  /// backward to refuse, stopped for it in some other way.
  bool isEarlyError(const observe::ExceptionObservation& compiled) const {
    if (!comparison_.reference || compiled.phase == "between") {
      return false;
    }
    const std::optional<observe::ExceptionObservation> full =
        comparison_.reference->fullBackwardError(comparison_.call);
    if (!full || isInternalError(compiled, &*full)) {
      return false;
    }
    const bool mayReword = !comparesMessages(comparison_.set) && (spec().backward || full->phase == "forward");
    const bool isOfOneWrite = isMovedLeaf(compiled) && isChangedInPlace(*full); // it has done both
    return mayReword || isOfOneWrite || comparableLine(full->message) == comparableLine(compiled.message);
  }

  const language::CallSpec& spec() const { return comparison_.theCase.calls.at(static_cast<size_t>(comparison_.call)); }

  bool isPoisoned() const {
    const auto poisoned = [](const std::vector<observe::TensorObservation>& list) {
      return std::any_of(list.begin(), list.end(),
                         [](const observe::TensorObservation& each) { return !each.autogradError.empty(); });
    };
    return poisoned(eager_.outputs) || poisoned(eager_.arguments) || poisoned(eager_.watched);
  }

  /// Something runs between this call's forward and its backward, or between that of a call that has fed it, whose graph is
  /// part of this one's.
  bool changesBetween() const {
    const auto call = static_cast<size_t>(comparison_.call);
    return spec().between || !spec().feed.empty() || comparison_.theCase.backwardRunsAfter(call) != call;
  }

  /// The Program itself changes, behind a graph break, what the compiled Graph before it has saved.
  bool changesBehindBreak(const observe::ExceptionObservation& compiled) const {
    return comparison_.brokeGraphs && eager_.writes && compiled.phase == "backward";
  }

  /// The Program detaches something in place, perhaps behind a graph break, that the Graph before it has saved.
  bool detachesBehindBreak() const { return comparison_.brokeGraphs && comparison_.theCase.mentions("detach_"); }

  // ------------------------------------------------------------------ both returned

  void judgeReturned() {
    CallFindings findings = compareCall(comparison_);
    judgeBackward(findings);
    result_.inputsDiverge = result_.inputsDiverge || !findings.differences.empty() || findings.byLayout.has_value();
    const bool ill = findings.illConditioned.has_value(), zero = findings.noneBecameZero.has_value();
    const std::optional<Difference> illConditioned = findings.illConditioned, noneBecameZero = findings.noneBecameZero;
    const std::optional<Difference> byLayout = findings.byLayout;
    takeDifferences(std::move(findings));
    if (byLayout) {
      settle(Outcome::kEagerUnstable, std::string(language::propertyName(byLayout->property)),
             byLayout->message + "; eager agrees with the compiled side where its operators get contiguous gradients");
    }
    if (zero) {
      settle(Outcome::kNoneBecameZero, "", noneBecameZero->message);
      if (result_.verdict.outcome == Outcome::kNoneBecameZero) {
        result_.verdict.where = noneBecameZero->where;
      }
    }
    if (unstable_.any() && result_.verdict.outcome == Outcome::kAgreed) {
      settleUnstable();
    }
    if (ill) {
      settle(Outcome::kIllConditioned, std::string(language::propertyName(illConditioned->property)),
             illConditioned->message);
    }
  }

  void settleUnstable() {
    std::set<Property> properties;
    for (const auto& [property, where] : unstable_.differences) {
      properties.insert(property);
    }
    std::string names;
    for (Property property : properties) {
      names += (names.empty() ? "" : ", ") + std::string(language::propertyName(property));
    }
    settle(Outcome::kEagerUnstable, names, "two eager runs differ in " + names);
  }

  void judgeBackward(CallFindings& findings) {
    if (!eager_.backwardException && !compiled_.backwardException) {
      return forgiveUnchanged(findings);
    }
    result_.inputsDiverge = true; // `.grad` may have been filled on one side
    const std::string message = bothTexts(eager_.backwardException, compiled_.backwardException);
    if (eager_.backwardException && compiled_.backwardException) {
      if (judgeBoth(*eager_.backwardException, *compiled_.backwardException)) {
        result_.verdict.backwardBothRejected = true;
        compareInputsAfterBackward(comparison_, findings);
      }
      return;
    }
    if (compiled_.backwardException) {
      return judgeRefusal(*compiled_.backwardException, eager_.backwardException);
    }
    const observe::ExceptionObservation& eager = *eager_.backwardException;
    if (has(Rule::kA16) && isChangedInPlace(eager) && changesBetween() && comparison_.reference) {
      // The compiled side saved other tensors: right only if its gradients are those of the unchanged values.
      const EagerReference& reference = comparison_.reference->withoutChange(comparison_.call);
      const observe::CallObservation& unchanged = reference.first().calls.at(static_cast<size_t>(comparison_.call));
      if (!unchanged.backwardException) {
        return judgeAgainstUnchanged(unchanged, reference, eager, message, findings);
      }
    }
    if (has(Rule::kA16) && isChangedInPlace(eager) && !spec().feed.empty()) {
      return limit(Rule::kA16, eager, message); // no run shows the gradients of the unchanged values
    }
    if (has(Rule::kA3) && isMultiOutputViewError(eager) && !piecesOfInput()) {
      allow(Rule::kA3);
      return;
    }
    if (has(Rule::kA16) && !has(Rule::kA10) && isDetachedLater(eager) && detachesBehindBreak()) {
      allow(Rule::kA16); // behind a break, of a value that the compiled side has not saved
      return;
    }
    accepts("backward", message, eager);
  }

  /// The Case sets gradients or runs backwards itself.
  bool touchesGradients() const {
    return comparison_.theCase.mentions("grad") || comparison_.theCase.mentions("backward");
  }

  struct GradientFindings {
    CallFindings found;
    bool excuses = false; // some leaf differs of which no run of eager's shows what is right
  };
  /// The gradients alone, by the run without the change. Of leaves behind a root that the change gave another grad_fn
  /// there is no eager run that shows them.
  GradientFindings gradientsAgainst(const observe::CallObservation& unchanged, const EagerReference& reference) const {
    const auto compare = [&](const observe::CallObservation& expected, const observe::CallObservation& compiled) {
      Comparison comparison{comparison_.theCase, comparison_.call, expected,   compiled,
                            comparison_.rules,   comparison_.set,  &reference, comparison_.baseHasEagerStrides};
      comparison.strictNumerics = comparison_.strictNumerics;
      CallFindings found;
      compareGradients(comparison, expected, found);
      return found;
    };
    const std::vector<observe::Location>& unknown = eager_.leavesOfRootsMadeAnew;
    const auto isUnknown = [&](const std::string& where) {
      return std::any_of(unknown.begin(), unknown.end(),
                         [&](const observe::Location& each) { return each.text() == where; });
    };
    CallFindings found = compare(unchanged, compiled_);
    if (std::none_of(found.differences.begin(), found.differences.end(),
                     [&](const Difference& each) { return isUnknown(each.where); })) {
      return {std::move(found), false};
    }
    observe::CallObservation expected = unchanged, compiled = compiled_;
    for (std::vector<observe::GradientObservation>* gradients : {&expected.gradients, &compiled.gradients}) {
      for (observe::GradientObservation& each : *gradients) {
        if (isUnknown(each.leaf.text())) {
          each.gradient.reset();
        }
      }
    }
    return {compare(expected, compiled), true};
  }

  /// A16: what eager saved was changed without autograd being told, as an operator has hidden that it is the same memory,
  /// and the compiled side has not seen the change: its gradients are those of the unchanged values.
  void forgiveUnchanged(CallFindings& findings) {
    const auto isOfGradient = [](const Difference& each) { return each.property == Property::kGradientValues; };
    if (!has(Rule::kA16) || !changesBetween() || !comparison_.reference ||
        std::none_of(findings.differences.begin(), findings.differences.end(), isOfGradient) || touchesGradients() ||
        !comparison_.reference->trace(comparison_.call).hidesSharing) {
      return;
    }
    const EagerReference& reference = comparison_.reference->withoutChange(comparison_.call);
    const observe::CallObservation& unchanged = reference.first().calls.at(static_cast<size_t>(comparison_.call));
    if (unchanged.backwardException) {
      return;
    }
    const auto [found, excuses] = gradientsAgainst(unchanged, reference);
    if (found.differences.empty() && !found.illConditioned && !found.byLayout) {
      allow(Rule::kA16);
      if (excuses) {
        settle(Outcome::kLimit, "A16", "the change gave a root another grad_fn: nobody shows its leaves' gradients");
      }
      std::erase_if(findings.differences, isOfGradient);
    }
  }

  /// A16: eager alone raised for a change that the compiled side does not see. Right are the gradients of the unchanged
  /// values.
  void judgeAgainstUnchanged(const observe::CallObservation& unchanged, const EagerReference& reference,
                             const observe::ExceptionObservation& eager, const std::string& message,
                             CallFindings& findings) {
    auto [found, excuses] = gradientsAgainst(unchanged, reference);
    if (excuses) {
      limit(Rule::kA16, eager, message);
    } else if (found.differences.empty()) {
      allow(Rule::kA16);
    }
    findings.allowed |= found.allowed;
    for (Difference& difference : found.differences) {
      findings.differences.push_back(std::move(difference));
    }
    if (!findings.illConditioned) {
      findings.illConditioned = std::move(found.illConditioned);
    }
    if (!findings.byLayout) {
      findings.byLayout = std::move(found.byLayout);
    }
    if (!findings.noneBecameZero) {
      findings.noneBecameZero = std::move(found.noneBecameZero);
    }
  }

  /// Some output shares memory with an input: the multi-output view may be one of an input (A3 does not cover it).
  bool piecesOfInput() const {
    std::set<int> inputStorages;
    for (const observe::StorageMember& member : eager_.partition) {
      if (member.location.role != observe::Location::Role::kOutput) {
        inputStorages.insert(member.storage);
      }
    }
    return std::any_of(eager_.partition.begin(), eager_.partition.end(), [&](const observe::StorageMember& member) {
      return member.location.role == observe::Location::Role::kOutput && inputStorages.contains(member.storage);
    });
  }

  /// The first difference in the contract's order names the call; the others are listed.
  void takeDifferences(CallFindings findings) {
    result_.allowed |= findings.allowed;
    std::vector<Difference>& differences = findings.differences;
    std::erase_if(differences, [&](const Difference& each) {
      return unstable_.differences.contains({each.property, each.where});
    });
    if (differences.empty()) {
      return;
    }
    if (roundingDecidesWay()) {
      return settle(Outcome::kIllConditioned, std::string(language::propertyName(differences.front().property)),
                    differences.front().message);
    }
    if (const std::optional<Rule> rule = openingTheWay()) {
      allow(*rule);
      return settle(Outcome::kEagerUnstable, std::string(language::propertyName(differences.front().property)),
                    differences.front().message);
    }
    settle(Outcome::kDiffers, "", "");
    if (result_.verdict.outcome == Outcome::kDiffers) {
      result_.verdict.setDifferences(std::move(differences));
    }
  }

  const Comparison& comparison_;
  const Instability& unstable_;
  const observe::CallObservation &eager_, &compiled_;
  JudgedCall result_;
};

} // namespace

JudgedCall judgeCall(const Comparison& comparison, const Instability& unstable) {
  return CallJudge(comparison, unstable).run();
}

} // namespace touchstone::compare
