#include "generators/decoder/CallPatterns.h"
#include "generators/decoder/CallTrial.h"
#include "generators/decoder/DecoderState.h"
#include "generators/decoder/FlagDraws.h"
#include "generators/decoder/GradientFacts.h"
#include "generators/decoder/SizeChanges.h"
#include "generators/features/AutogradCycles.h"

#include <algorithm>

namespace touchstone::decoder {

using language::CallSpec;
using language::Case;
using values::Value;

namespace {

constexpr size_t kMaximumDecodedCalls = 10; // with two calls that change nothing but values
constexpr int64_t kBaseSeed = 7;
constexpr int64_t kFirstSameSeed = 100;
constexpr int kSameBackwardPercent = 60;
// Of a Program that wants gradients.
constexpr int kWantedBackwardPercent = 95;
constexpr int kTrainingSteps = 3; // with the objects of the call before, as it left them
constexpr int kMaximumChangedFunctions = 3;
// Of a Case whose sizes change.
constexpr int kSizeFunctions = 5, kSizeAttempts = 14;
constexpr int64_t kFirstSizeSeed = 400;
constexpr int64_t kGrowth = 2; // times the elements that a tensor has at first, at most
constexpr int kMarkedPercent = 45, kDynamicTruePercent = 55, kOtherSizesPercent = 75;

/// Decodes CALLS one record at a time.
class CallDecoder {
 public:
  CallDecoder(Case& theCase, const InputSpecification& inputs, const DecoderState& state,
              const evaluator::InputSet& madeInputs, const Value& result, std::string kind)
      : case_(theCase),
        inputs_(inputs),
        state_(state),
        features_(state.options.features),
        madeInputs_(madeInputs),
        result_(result),
        kind_(std::move(kind)) {}

  void addBase(uint64_t seed) {
    case_.calls.reserve(language::kMaximumCalls);
    CallSpec first = call("inputs", kBaseSeed, kind_);
    CallSpec second = call("inputs", kBaseSeed + 1, kind_); // compiled code is used again with other values
    if (features_.wantsGradients()) {
      catalogue::Draw draw(seed, "base calls");
      drawBackward(draw, first, /*mayTouch=*/false);
      drawBackward(draw, second, /*mayTouch=*/false);
      if (first.backward) {
        first.backward = facts().roots;
      }
    }
    add(first);
    add(second);
  }

  /// Whether sizes are symbols from the first call on, or once they have changed.
  void drawCompile(uint64_t seed) {
    case_.compile.dynamic =
        catalogue::Draw(seed, "compile").chance(kDynamicTruePercent) ? std::optional(true) : std::nullopt;
  }

  /// Calls with other sizes, and marks of what changes.
  void addSizes(uint64_t seed) {
    catalogue::Draw draw(seed, "sizes");
    const size_t before = case_.calls.size();
    std::vector<InputSpecification> accepted;
    for (int attempt = 0; attempt < kSizeAttempts && std::ssize(accepted) < kSizeFunctions; ++attempt) {
      const std::optional<InputSpecification> inputs =
          withOtherSizes(inputs_, draw, kGrowth * state_.options.maximumElements);
      if (!inputs) {
        continue;
      }
      CallSpec spec = call(sizeFunction(accepted.size()), kFirstSizeSeed + std::ssize(accepted), kind_);
      if (draw.chance(features_.wantsGradients() ? kWantedBackwardPercent : kSameBackwardPercent)) {
        drawBackward(draw, spec, /*mayTouch=*/false);
      }
      case_.functions.push_back(inputs->function(*spec.inputs));
      if (!runs(spec)) {
        case_.functions.pop_back();
        continue;
      }
      accepted.push_back(*inputs);
      sizeFunctions_.push_back(*spec.inputs);
      add(spec);
    }
    decodedLimit_ += case_.calls.size() - before;
    if (draw.chance(kMarkedPercent)) {
      mark(accepted, draw);
    }
  }

  /// Steps of training: each takes what the one before left.
  void addSteps(uint64_t seed) {
    const size_t before = case_.calls.size();
    catalogue::Draw draw(seed, "training calls");
    const int steps = leavesArgumentsWithGraph() ? 0 : kTrainingSteps;
    for (int step = 0; step <= steps; ++step) {
      CallSpec spec = step == 0 ? call("inputs", kBaseSeed + 2, kind_) : call("", 0, "grid");
      if (step > 0) {
        spec.inputs.reset();
      }
      drawBackward(draw, spec, /*mayTouch=*/false);
      if (step > 0 && !baseRuns(spec)) {
        break;
      }
      push(spec); // two of them may be alike
    }
    decodedLimit_ += case_.calls.size() - before;
  }

  /// Further calls that compiled code serves as it is: no two have the same values, tangents and roots.
  void addSame(int count, uint64_t seed) {
    const size_t before = case_.calls.size();
    for (int number = 2; number < std::min(count, kMaximumSameCalls); ++number) {
      catalogue::Draw draw(catalogue::mix(seed ^ static_cast<uint64_t>(number)), "same call");
      CallSpec spec = call("inputs", kFirstSameSeed + number, drawKind(draw));
      if (number == 2 && mayBeSpecial()) {
        spec.kind = "special";
      }
      spec.rngSeed = features_.random ? number : 0;
      if (!sizeFunctions_.empty() && draw.chance(kOtherSizesPercent)) {
        spec.inputs = sizeFunctions_[static_cast<size_t>(draw.below(std::ssize(sizeFunctions_)))];
      }
      if (draw.chance(features_.wantsGradients() ? kWantedBackwardPercent : kSameBackwardPercent)) {
        drawBackward(draw, spec, /*mayTouch=*/false); // a function for it would be other calls' too
      }
      const bool repeats = !spec.backward && (spec.kind == "zeros" || spec.kind == "ones");
      spec.kind = repeats ? kind_ : spec.kind;
      add(spec);
    }
    decodedLimit_ += case_.calls.size() - before;
  }

  void decode(const catalogue::Record& record) {
    if (case_.calls.size() >= std::min<size_t>(decodedLimit_, language::kMaximumCalls)) {
      return;
    }
    catalogue::Draw draw(record.attributes ^ record.key, "call");
    int64_t roll = draw.below(100);
    CallSpec spec = call("inputs", kBaseSeed + draw.below(5), drawKind(draw));
    if (features_.steady ||
        (roll >= 76 && features_.wantsGradients() && catalogue::Draw(record.attributes, "backward").chance(60))) {
      roll = 75; // a backward
    }
    if (roll < 34 && features_.changedCalls) {
      addChanged(draw, spec);
      return;
    }
    if (roll < 76) {
      drawBackward(draw, spec);
    } else if (roll < 84) {
      spec.gradMode = language::GradMode::kNoGrad;
    } else if (roll < 86) {
      spec.gradMode = language::GradMode::kInference;
    } else if (roll < 90) {
      spec.inputs.reset(); // the previous call's objects, as it left them
      spec.seed = 0;
      spec.kind = "grid";
    }
    if ((spec.gradMode != language::GradMode::kEnable || !spec.inputs) && !baseRuns(spec)) {
      return;
    }
    add(spec);
  }

  /// Found at the first call that asks for a backward: it costs one.
  const GradientFacts& facts() {
    if (!facts_) {
      facts_ = gradientFacts(madeInputs_, result_);
    }
    return *facts_;
  }

 private:
  CallSpec call(std::string function, int64_t seed, std::string kind) const {
    CallSpec spec;
    spec.inputs = std::move(function);
    spec.seed = seed;
    spec.kind = std::move(kind);
    return spec;
  }

  /// Then the backward of a next step goes through this one's, too: of one compiled node also where eager has nothing to bring there.
  bool leavesArgumentsWithGraph() const {
    std::vector<at::Tensor> tensors;
    for (const Value& argument : madeInputs_.arguments) {
      values::collectTensors(argument, tensors);
    }
    return std::ranges::any_of(tensors, [](const at::Tensor& each) { return each.defined() && !each.is_leaf(); });
  }

  static std::string sizeFunction(size_t number) {
    return number == 0 ? "inputs_sizes" : "inputs_sizes_" + std::to_string(number + 1);
  }

  /// Marks dimensions in all functions that make the inputs in other sizes.
  void mark(std::vector<InputSpecification>& accepted, catalogue::Draw& draw) {
    InputSpecification base = inputs_;
    std::vector<InputSpecification*> all = {&base};
    for (InputSpecification& each : accepted) {
      all.push_back(&each);
    }
    markDimensions(all, draw);
    for (language::Function& function : case_.functions) {
      const auto found = std::find(sizeFunctions_.begin(), sizeFunctions_.end(), function.name);
      if (function.name == "inputs") {
        function = base.function("inputs");
      } else if (found != sizeFunctions_.end()) {
        function = accepted[static_cast<size_t>(found - sizeFunctions_.begin())].function(*found);
      }
    }
  }

  bool mayBeSpecial() const { return !features_.exactOnly && !state_.castsToInteger; }

  std::string drawKind(catalogue::Draw& draw) const {
    const int64_t roll = draw.below(100);
    if (roll < 60) {
      return kind_;
    }
    if (roll < 75 && mayBeSpecial()) {
      return "special";
    }
    return roll < 90 ? "grid" : roll < 95 ? "zeros" : "ones";
  }

  void add(const CallSpec& spec) {
    if (std::find(case_.calls.begin(), case_.calls.end(), spec) == case_.calls.end()) {
      push(spec);
    }
  }

  /// Unless the Case has as many calls as one may.
  void push(const CallSpec& spec) {
    if (case_.calls.size() < language::kMaximumCalls) {
      case_.calls.push_back(spec);
    }
  }

  void drawBackward(catalogue::Draw& draw, CallSpec& spec, bool mayTouch = true) {
    if (!features_.backward || facts().roots.empty() || (facts().backwardRaises && !draw.chance(10))) {
      return;
    }
    std::vector<language::BackwardRoot> roots;
    const bool all = draw.chance(35);
    const int64_t forced = draw.below(static_cast<int64_t>(facts().roots.size()));
    bool scalar = true;
    for (size_t index = 0; index < facts().roots.size(); ++index) {
      if (all || static_cast<int64_t>(index) == forced || draw.chance(35)) {
        roots.push_back(facts().roots[index]);
        scalar = scalar && facts().rootIsScalar[index];
      }
    }
    spec.backward = roots;
    spec.tangentSeed = draw.between(1, 40);
    constexpr language::TangentLayout kLayouts[] = {
        language::TangentLayout::kLike,       language::TangentLayout::kLike,     language::TangentLayout::kContiguous,
        language::TangentLayout::kTransposed, language::TangentLayout::kExpanded, language::TangentLayout::kGapped};
    spec.tangentLayout = scalar && draw.chance(40) ? language::TangentLayout::kNone : kLayouts[draw.below(6)];
    const int64_t roll = draw.below(100);
    if (roll < 15 && facts().leaves > 0) {
      spec.via = language::GradientVia::kGrad;
      if (facts().leaves > 1 && draw.chance(50)) {
        spec.wrt = std::vector<int>{static_cast<int>(draw.below(facts().leaves))};
      }
    } else if (roll < 20) {
      spec.backwardTimes = 2;
    } else if (roll < 30 && mayTouch && features_.mutation) {
      spec.between = betweenFunction(draw);
    }
  }

  /// A function that writes to an argument or an output between forward and backward.
  std::optional<std::string> betweenFunction(catalogue::Draw& draw) {
    const std::string name = "touch";
    if (case_.find(name)) {
      return name;
    }
    std::vector<language::ExprPtr> candidates;
    for (size_t index = 0; index < inputs_.arguments.size(); ++index) {
      if (inputs_.arguments[index].base >= 0 && inputs_.arguments[index].layout != Layout::kExpanded &&
          inputs_.bases[inputs_.arguments[index].base].dtype == at::kFloat) {
        candidates.push_back(
            language::makeSubscript(language::makeName("args"), {language::makeInt(static_cast<int64_t>(index))}));
      }
    }
    if (candidates.empty()) {
      return std::nullopt;
    }
    language::Function function;
    function.name = name;
    function.parameters = {"args", "outs"};
    const language::ExprPtr target =
        candidates[static_cast<size_t>(draw.below(static_cast<int64_t>(candidates.size())))];
    function.body = {
        language::makeExpressionStatement(language::makeMethodCall(target, "mul_", {language::makeInt(2)}))};
    case_.functions.push_back(std::move(function));
    return name;
  }

  void addChanged(catalogue::Draw& draw, CallSpec spec) {
    if (changed_ == kMaximumChangedFunctions) {
      return;
    }
    for (int attempt = 0; attempt < 5; ++attempt) {
      InputSpecification inputs = inputs_;
      if (!changeOneProperty(inputs, draw, features_)) {
        continue;
      }
      const std::string name = changed_ == 0 ? "inputs_changed" : "inputs_changed_" + std::to_string(changed_ + 1);
      case_.functions.push_back(inputs.function(name));
      spec.inputs = name;
      if (runs(spec)) {
        ++changed_;
        add(spec);
        return;
      }
      case_.functions.pop_back();
    }
  }

  /// runs() for a call of the base inputs, asked once for each mode: what other values do is not asked of calls with grad
  /// either.
  bool baseRuns(const CallSpec& spec) {
    std::optional<bool>& known = baseRuns_[static_cast<size_t>(spec.gradMode)][spec.inputs ? 0 : 1];
    if (!known) {
      known = runs(spec);
    }
    return *known;
  }

  /// Whether eager takes the call's forward.
  bool runs(const CallSpec& spec) const {
    features::AutogradCycles cycles; // outlives the values
    evaluator::EvaluatorOptions watched;
    watched.onOperation = cycles.hook();
    try {
      evaluator::Evaluator evaluator(case_, watched);
      evaluator::InputSet made = evaluator.makeInputs(spec.inputs.value_or("inputs"), spec.seed, spec.kind);
      const GradModeScope mode(spec.gradMode);
      if (!spec.inputs) { // what a first call leaves must be good for a second
        evaluator.call("program", made.arguments);
      }
      evaluator.call("program", made.arguments);
      return true;
    } catch (const std::exception&) {
      return false;
    }
  }

  Case& case_;
  const InputSpecification& inputs_;
  const DecoderState& state_;
  const catalogue::Features& features_;
  const evaluator::InputSet& madeInputs_; // of the base call, and what it returned
  const Value& result_;
  std::optional<GradientFacts> facts_;
  std::optional<bool> baseRuns_[3][2]; // by grad mode, and whether the objects are the previous call's
  const std::string kind_;
  size_t decodedLimit_ = kMaximumDecodedCalls;
  int changed_ = 0;
  std::vector<std::string> sizeFunctions_; // make the inputs in other sizes
};

} // namespace

constexpr int kSameCallsOfPython = 4;

void decodeCalls(Case& theCase, const InputSpecification& inputs, const DecoderState& state,
                 const std::vector<const catalogue::Record*>& records, const evaluator::InputSet& madeInputs,
                 const Value& result, const std::string& kind) {
  CallDecoder decoder(theCase, inputs, state, madeInputs, result, kind);
  const uint64_t seed = records.empty() ? 0 : records.front()->attributes;
  decoder.addBase(seed);
  if (state.options.features.dynamic && !inputs.arguments.empty()) {
    decoder.drawCompile(seed);
  }
  if (state.options.features.flags) {
    catalogue::Draw draw(seed, "flags");
    drawFlags(theCase.compile, draw);
  }
  if (state.raises()) {
    return; // eager raises in every call
  }
  if (state.options.features.style == catalogue::Style::kTraining && state.options.features.wantsGradients()) {
    decoder.addSteps(seed);
  }
  if (state.options.features.dynamic && !inputs.arguments.empty()) {
    decoder.addSizes(seed);
  }
  const int same = state.options.sameCalls; // what takes functions compiles in each call of eager's, too
  decoder.addSame(state.options.features.python ? std::min(same, kSameCallsOfPython) : same, seed);
  for (const catalogue::Record* record : records) {
    decoder.decode(*record);
  }
  std::vector<language::CallSpec> surviving = callsPythonSurvives(theCase);
  if (!surviving.empty()) {
    theCase.calls = std::move(surviving);
  }
  addCallPatterns(theCase, {state.options.features, inputs, result, [&] { return decoder.facts(); }, kind},
                  records.empty() ? 0 : records.front()->attributes);
}

} // namespace touchstone::decoder
