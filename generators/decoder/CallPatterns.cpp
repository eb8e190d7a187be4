#include "generators/decoder/CallPatterns.h"

#include "generators/catalogue/Draw.h"
#include "generators/decoder/BetweenFunctions.h"
#include "generators/features/AutogradCycles.h"
#include "oracles/observe/CallRunner.h"
#include "program/evaluator/Evaluator.h"

#include <ATen/core/Tensor.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace touchstone::decoder {

using catalogue::Draw;
using catalogue::Part;
using language::CallSpec;
using language::Case;
using language::GradMode;

namespace {

constexpr int kPatternAttempts = 3;
constexpr int kSecondDerivativePercent = 10;
constexpr int64_t kFirstSeed = 300; // of the values of a pattern's calls

/// Draws the calls of one pattern. Indices are those within the pattern.
class PatternCalls {
 public:
  PatternCalls(Case& theCase, const PatternContext& context, Draw& draw)
      : case_(theCase), context_(context), draw_(draw) {}

  Draw& draw() { return draw_; }
  std::vector<CallSpec>& calls() { return calls_; }
  const PatternContext& context() const { return context_; }

  /// A call with values of its own.
  CallSpec& fresh() {
    CallSpec call;
    call.inputs = "inputs";
    call.seed = kFirstSeed + static_cast<int64_t>(calls_.size()) + 10 * draw_.below(4);
    call.kind = context_.kind;
    return calls_.emplace_back(std::move(call));
  }
  /// A call with the objects of the call before.
  CallSpec& again() {
    CallSpec call;
    call.inputs.reset();
    return calls_.emplace_back(std::move(call));
  }

  /// From some of the roots, with tangents of its own; false: there are none.
  bool backward(CallSpec& call) {
    const GradientFacts& facts = gradients();
    if (facts.roots.empty() || facts.backwardRaises) {
      return false;
    }
    const int64_t forced = draw_.below(std::ssize(facts.roots));
    call.backward.emplace();
    for (int64_t index = 0; index < std::ssize(facts.roots); ++index) {
      if (index == forced || draw_.chance(40)) {
        call.backward->push_back(facts.roots[static_cast<size_t>(index)]);
      }
    }
    call.tangentSeed = draw_.between(41, 90);
    constexpr language::TangentLayout kLayouts[] = {language::TangentLayout::kLike, language::TangentLayout::kLike,
                                                    language::TangentLayout::kContiguous,
                                                    language::TangentLayout::kTransposed};
    call.tangentLayout = kLayouts[draw_.below(4)];
    return true;
  }
  /// The same by `torch.autograd.grad`, of all leaves or of one.
  bool gradient(CallSpec& call) {
    if (!backward(call)) {
      return false;
    }
    call.via = language::GradientVia::kGrad;
    if (gradients().leaves > 1 && draw_.chance(40)) {
      call.wrt = std::vector<int>{static_cast<int>(draw_.below(gradients().leaves))};
    }
    return true;
  }
  /// Some function that makes changed inputs, where the Case has one.
  void changeInputs(CallSpec& call) {
    for (const language::Function& function : case_.functions) {
      if (language::isInputsName(function.name) && function.name != "inputs") {
        call.inputs = function.name;
      }
    }
  }
  bool writeBetween(CallSpec& call, bool toGradient = false) {
    if (!context_.features.mutation) {
      return false;
    }
    call.between = addBetweenFunction(case_, context_.inputs, context_.result, toGradient, draw_);
    return call.between.has_value();
  }
  /// Feeds arguments with outputs of the dtype and sizes of what they are or look into; false: there is no such pair.
  bool feed(CallSpec& call) {
    std::vector<at::Tensor> outputs;
    values::collectTensors(context_.result, outputs);
    std::vector<language::FedArgument> pairs;
    for (size_t index = 0; index < context_.inputs.arguments.size(); ++index) {
      const ArgumentSpecification& argument = context_.inputs.arguments[index];
      if (argument.base < 0) {
        continue;
      }
      const BaseSpecification& base = context_.inputs.bases[static_cast<size_t>(argument.base)];
      for (size_t output = 0; output < outputs.size(); ++output) {
        if (outputs[output].scalar_type() == base.dtype && outputs[output].sizes() == base.sizes) {
          pairs.push_back({static_cast<int>(index), static_cast<int>(output)});
        }
      }
    }
    if (pairs.empty()) {
      return false;
    }
    call.feed = {pairs[static_cast<size_t>(draw_.below(std::ssize(pairs)))]};
    const language::FedArgument& other = pairs[static_cast<size_t>(draw_.below(std::ssize(pairs)))];
    if (other.argument != call.feed.front().argument && draw_.chance(30)) {
      call.feed.push_back(other);
    }
    return true;
  }

 private:
  const GradientFacts& gradients() {
    if (!gradients_) {
      gradients_ = context_.gradients();
    }
    return *gradients_;
  }

  Case& case_;
  const PatternContext& context_;
  Draw& draw_;
  std::vector<CallSpec> calls_;
  std::optional<GradientFacts> gradients_;
};

/// Two or three forwards, then their backwards, in an order of their own.
bool backwardsInAnyOrder(PatternCalls& pattern) {
  std::vector<int> order;
  for (int64_t count = pattern.draw().between(1, 2); count > 0; --count) {
    order.push_back(static_cast<int>(order.size()));
    if (!pattern.backward(pattern.fresh())) {
      return false;
    }
  }
  CallSpec& last = pattern.fresh();
  if (pattern.draw().chance(70) && !pattern.backward(last)) {
    return false;
  }
  if (pattern.draw().chance(60)) {
    std::reverse(order.begin(), order.end());
  }
  last.backwardAfter = order;
  return true;
}

/// A forward whose backward runs after other code was compiled: for other inputs, or without grad.
bool backwardAfterAnotherCompile(PatternCalls& pattern) {
  if (!pattern.backward(pattern.fresh())) {
    return false;
  }
  CallSpec& between = pattern.fresh();
  pattern.changeInputs(between);
  if (between.inputs == "inputs" || pattern.draw().chance(30)) {
    between.gradMode = GradMode::kNoGrad;
  }
  CallSpec& last = pattern.fresh();
  last.backwardAfter = {0};
  return pattern.backward(last);
}

/// Two backwards from one forward, each with tangents of its own, over a forward in between.
bool backwardTwice(PatternCalls& pattern) {
  CallSpec& first = pattern.fresh();
  if (!(pattern.draw().chance(50) ? pattern.gradient(first) : pattern.backward(first))) {
    return false;
  }
  first.backwardTimes = 2;
  CallSpec& last = pattern.fresh();
  if (pattern.draw().chance(60)) {
    last.backwardAfter = {0};
  }
  return true;
}

/// `.grad` gathers what several calls with the same objects leave there.
bool accumulation(PatternCalls& pattern) {
  if (!pattern.backward(pattern.fresh())) {
    return false;
  }
  for (int64_t count = pattern.draw().between(1, 2); count > 0; --count) {
    CallSpec& call = pattern.again();
    if (!pattern.backward(call)) {
      return false;
    }
    if (pattern.draw().chance(25)) {
      pattern.writeBetween(call, /*toGradient=*/true);
    }
  }
  return true;
}

/// Two forwards of the same objects are alive before the first backward.
bool accumulationLater(PatternCalls& pattern) {
  CallSpec& first = pattern.fresh();
  if (!pattern.backward(first)) {
    return false;
  }
  CallSpec& second = pattern.again();
  second.backwardAfter = {0};
  return pattern.backward(second);
}

/// Outputs are inputs of the next call, once or twice, and a backward may go through all of them.
bool feedback(PatternCalls& pattern) {
  pattern.fresh();
  for (int64_t count = pattern.draw().between(1, 2); count > 0; --count) {
    if (!pattern.feed(pattern.fresh())) {
      return false;
    }
  }
  if (pattern.draw().chance(65)) {
    pattern.backward(pattern.calls().back());
  }
  return true;
}

/// The gradient of a gradient, seldom: a backward that AOTAutograd compiled refuses it.
bool secondDerivative(PatternCalls& pattern) {
  if (!pattern.draw().chance(kSecondDerivativePercent)) {
    return false;
  }
  CallSpec& call = pattern.fresh();
  call.derivatives = 2;
  return pattern.gradient(call);
}

/// A gradient that could be differentiated once more, and is not.
bool gradientWithGraph(PatternCalls& pattern) {
  CallSpec& call = pattern.fresh();
  call.createGraph = true;
  return pattern.gradient(call);
}

/// With and without grad in turn.
bool changingGradModes(PatternCalls& pattern) {
  constexpr GradMode kModes[] = {GradMode::kNoGrad, GradMode::kEnable, GradMode::kInference};
  GradMode before = GradMode::kEnable;
  for (int64_t count = pattern.draw().between(3, 4); count > 0; --count) {
    GradMode mode = kModes[pattern.draw().below(3)];
    mode = mode == before ? (mode == GradMode::kNoGrad ? GradMode::kEnable : GradMode::kNoGrad) : mode;
    CallSpec& call = pattern.fresh();
    call.gradMode = before = mode;
    if (mode == GradMode::kEnable && pattern.draw().chance(70)) {
      pattern.backward(call);
    }
  }
  return true;
}

/// With and without autocast in turn; a backward may run after the other one's forward.
bool changingAutocast(PatternCalls& pattern) {
  if (pattern.context().features.exactOnly) { // autocast's dtype keeps too few digits
    return false;
  }
  const bool first = pattern.draw().chance(50);
  for (int index = 0; index < 3; ++index) {
    CallSpec& call = pattern.fresh();
    if ((index % 2 == 0) == first) {
      call.autocast = "bfloat16";
    }
    if (pattern.draw().chance(60)) {
      pattern.backward(call);
    }
  }
  if (pattern.calls().front().backward && pattern.draw().chance(50)) {
    pattern.calls()[1].backwardAfter = {0};
  }
  return true;
}

/// Something is written to after the forward.
bool writesBetween(PatternCalls& pattern) {
  CallSpec& call = pattern.fresh();
  return pattern.backward(call) && pattern.writeBetween(call);
}

/// Something is written to while an earlier forward waits for its backward.
bool writesWhileOneWaits(PatternCalls& pattern) {
  if (!pattern.backward(pattern.fresh())) {
    return false;
  }
  CallSpec& last = pattern.fresh();
  last.backwardAfter = {0};
  return pattern.backward(last) && pattern.writeBetween(last);
}

/// A second compiled object serves some calls; both may have forwards that wait.
bool compiledTwice(PatternCalls& pattern) {
  CallSpec& first = pattern.fresh();
  const bool waits = pattern.draw().chance(60) && pattern.backward(first);
  CallSpec& second = pattern.fresh();
  second.instance = 1;
  if (waits) {
    second.backwardAfter = {0};
    pattern.backward(second);
  }
  pattern.fresh().instance = static_cast<int>(pattern.draw().below(2));
  return true;
}

struct CallPattern {
  std::string_view name;
  Part part;
  int weight; // beside the others
  bool (*draw)(PatternCalls& pattern); // false: the Program has not what it takes
  bool compilesAnew = false; // always
};

constexpr CallPattern kPatterns[] = {
    {"backwards in any order", Part::kPendingBackwards, 5, backwardsInAnyOrder},
    {"a backward after another compile", Part::kPendingBackwards, 3, backwardAfterAnotherCompile, true},
    {"two backwards from one forward", Part::kPendingBackwards, 3, backwardTwice},
    {"gradients that go on", Part::kAccumulation, 3, accumulation},
    {"gradients that go on later", Part::kAccumulation, 2, accumulationLater},
    {"outputs as inputs", Part::kFeedback, 5, feedback},
    {"a second derivative", Part::kSecondDerivatives, 1, secondDerivative},
    {"a gradient with a graph", Part::kSecondDerivatives, 1, gradientWithGraph},
    {"other grad modes", Part::kChangedModes, 3, changingGradModes, true},
    {"other autocast", Part::kChangedModes, 2, changingAutocast, true},
    {"a write between", Part::kWritesBetween, 3, writesBetween},
    {"a write while one waits", Part::kWritesBetween, 3, writesWhileOneWaits},
    {"compiled twice", Part::kCompiledTwice, 3, compiledTwice, true},
};

bool isChangedInPlace(const observe::ExceptionObservation& exception) {
  return exception.message.find("modified by an inplace operation") != std::string::npos;
}

/// A gradient with a graph that is a constant: AOTAutograd lets it require grad, too.
bool hasConstantGradient(const CallSpec& call, const observe::CallObservation& observed) {
  return call.createGraph && std::ranges::any_of(observed.gradients, [](const observe::GradientObservation& each) {
           return each.gradient && !each.gradient->requiresGrad;
         });
}

/// Eager takes these calls by themselves. A backward that misses a value that was written to between is taken; a call whose inputs
/// have a graph is not, where an earlier call had them: two backwards would go through it.
bool eagerTakes(const Case& theCase, const std::vector<CallSpec>& calls) {
  Case alone = theCase;
  alone.calls = calls;
  features::AutogradCycles cycles; // outlives the values
  observe::RunOptions options;
  options.evaluator.onOperation = cycles.hook();
  options.probeEffects = false;
  try {
    const observe::CaseObservation observed =
        observe::runCalls(alone, *evaluator::eagerProgram(alone, options.evaluator), options);
    for (size_t index = 0; index < observed.calls.size(); ++index) {
      const observe::CallObservation& call = observed.calls[index];
      if (call.exception || (call.backwardException && !isChangedInPlace(*call.backwardException))) {
        return false;
      }
      if (hasConstantGradient(calls[index], call)) {
        return false;
      }
      const bool sharesInputs = !calls[index].inputs || (index + 1 < calls.size() && !calls[index + 1].inputs);
      if (sharesInputs && std::ranges::any_of(call.arguments, &observe::TensorObservation::hasGradFn)) {
        return false;
      }
    }
  } catch (const std::exception&) {
    return false;
  }
  return true;
}

bool tryPattern(Case& theCase, const PatternContext& context, const CallPattern& pattern, Draw& draw) {
  const size_t functions = theCase.functions.size();
  PatternCalls drawn(theCase, context, draw);
  const bool fits = pattern.draw(drawn) && theCase.calls.size() + drawn.calls().size() <= language::kMaximumCalls &&
                    eagerTakes(theCase, drawn.calls());
  if (!fits) {
    theCase.functions.resize(functions);
    return false;
  }
  const auto offset = static_cast<int>(theCase.calls.size());
  for (CallSpec& call : drawn.calls()) {
    for (int& earlier : call.backwardAfter) {
      earlier += offset;
    }
    theCase.calls.push_back(std::move(call));
  }
  return true;
}

bool mayHave(const Case& theCase, const PatternContext& context) {
  // A hook on a written view would end the Python interpreter (CallTrial.h), in calls that nobody has tried there.
  return context.features.backward && !theCase.mentions("register_hook");
}

} // namespace

void addCallPatterns(Case& theCase, const PatternContext& context, uint64_t seed) {
  static const std::vector<const CallPattern*> kChoices = [] {
    std::vector<const CallPattern*> choices;
    for (const CallPattern& pattern : kPatterns) {
      choices.insert(choices.end(), static_cast<size_t>(pattern.weight), &pattern);
    }
    return choices;
  }();
  const auto isOn = [&](const CallPattern& pattern) {
    return context.features.parts.has(pattern.part) && !(context.features.steady && pattern.compilesAnew);
  };
  if (std::ranges::none_of(kPatterns, isOn) || !mayHave(theCase, context)) {
    return;
  }
  Draw draw(seed, "call patterns");
  int64_t wanted = draw.chance(70) ? (draw.chance(25) ? 2 : 1) : 0;
  for (int attempt = 0; attempt < kPatternAttempts && wanted > 0; ++attempt) {
    const CallPattern& pattern = *kChoices[static_cast<size_t>(draw.below(std::ssize(kChoices)))];
    Draw own(draw.next(), pattern.name);
    // One whose part is off uses up its attempt: which parts are on changes nothing of what is drawn for the others.
    wanted -= isOn(pattern) && tryPattern(theCase, context, pattern, own) ? 1 : 0;
  }
}

} // namespace touchstone::decoder
