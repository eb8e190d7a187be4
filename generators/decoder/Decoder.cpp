#include "generators/decoder/Decoder.h"

#include "generators/catalogue/Exclusions.h"
#include "generators/decoder/DecoderState.h"
#include "generators/decoder/FreshRun.h"
#include "generators/decoder/LayerForms.h"
#include "generators/decoder/NamedFunctions.h"
#include "generators/decoder/ProgramEditing.h"
#include "generators/decoder/ProgramShape.h"
#include "generators/decoder/PythonForms.h"
#include "generators/decoder/Refusals.h"
#include "generators/decoder/SizeChanges.h"
#include "generators/decoder/StyledInputs.h"
#include "generators/decoder/TrainingProgram.h"
#include "generators/features/AutogradCycles.h"
#include "generators/features/Backward.h"
#include "generators/features/EvaluationState.h"
#include "program/language/PythonConstructs.h"
#include "program/language/StatementEditing.h"

#include <ATen/core/grad_mode.h>
#include <torch/version.h>

#include <algorithm>
#include <set>

namespace touchstone::decoder {

using language::Case;
using language::StatementPtr;

namespace {

/// Restarts of one decoding; each leaves one record out.
constexpr int kMaximumRestarts = 6;
/// Of these so many to leave out a write without which eager would run the backward of a Program that wants gradients.
constexpr int kBackwardRestarts = 4;
/// A large Case may have tensors of so many elements.
constexpr int64_t kLargeElements = 4096;
/// One whose sizes change; those that are drawn first are as small as others'.
constexpr int64_t kDynamicElements = 256;
/// Of the Cases that need Python.
constexpr int kAttentionPercent = 10;

/// One attempt at a Recipe, without the records in `left out`.
class Decoding {
 public:
  Decoding(const catalogue::Recipe& recipe, const DecodeOptions& options, DecodeStatistics& statistics,
           const std::set<size_t>& leftOut, bool asksForBackward)
      : recipe_(recipe),
        options_(options),
        statistics_(statistics),
        leftOut_(leftOut),
        asksForBackward_(asksForBackward && options.features.wantsGradients()) {}

  /// Null: `guilty` is to be left out, or, without one, there is nothing to be had.
  std::optional<Case> run() {
    const features::EvaluationState restored; // a branch may ask for the sum of what was drawn at random
    const std::string kind = options_.features.exactOnly ? "grid" : "uniform";
    Case decoded;
    decoded.setHeader("torch", TORCH_VERSION);
    decoded.setHeader("generator", "catalogue " + std::to_string(catalogue::kCatalogueVersion));
    decoded.functions.emplace_back();
    addNamedFunctions(decoded, options_.features.customOperators ? std::optional(seedOfInputs()) : std::nullopt);
    evaluator::EvaluatorOptions watched;
    watched.onOperation = cycles.hook();
    if (options_.features.exclusions != nullptr && !options_.features.exclusions->dtypes.empty()) {
      watched.onOperation = refusingDtypes(std::move(watched.onOperation));
    }
    evaluator::Evaluator evaluator(decoded, watched);
    evaluator::InputSet made;
    const InputSpecification inputs = acceptedInputs(decoded, evaluator, kind, made);
    DecoderState state(options_, statistics_, evaluator);
    if (options_.wantUses) {
      state.uses = std::make_unique<features::OperatorUses>();
    }
    state.variables.reserve(inputs.arguments.size() + recipe_.size());
    state.statements.reserve(recipe_.size());
    language::Function program;
    program.name = "program";
    for (size_t index = 0; index < inputs.arguments.size(); ++index) {
      Variable variable;
      variable.name = "x" + std::to_string(index);
      variable.value = made.arguments[index];
      variable.isInput = true;
      program.parameters.push_back(variable.name);
      state.environment.names[variable.name] = variable.value;
      state.variables.push_back(std::move(variable));
    }
    if (inputs.module) {
      program.parameters.emplace_back("m");
      state.environment.names["m"] = made.arguments.back();
      takeOut(state, "p0", "weight");
      takeOut(state, "p1", "n");
    }
    std::optional<TrainingProgram> training;
    if (inputs.isOfTraining) {
      training.emplace(state, inputs, seedOfInputs());
      training->begin();
    }
    if (const std::optional<size_t> writing = decodeStatements(state, recipe_, leftOut_)) {
      guilty = *writing;
      return std::nullopt;
    }
    if (!state.raises()) {
      if (training) {
        training->end();
      } else {
        joinUnreadLeaves(state, seedOfInputs());
      }
    }
    const std::optional<std::string> refused = addRefusal(state, recipe_.empty() ? 0 : recipe_.front().attributes);
    StatementPtr last = decodeOutputs(state, recordsOf(recipe_, catalogue::Section::kOutput));
    if (refused) { // returned, so that no compiler may leave the operation out
      last = language::makeReturn(language::makeTuple({last->value, language::makeName(*refused)}));
    }
    if (options_.features.isDense()) {
      dropDeadStatements(state, program.parameters, last);
    }
    FreshRun fresh;
    if (!runShaped(decoded, program, state, last, kind, fresh)) {
      return std::nullopt;
    }
    decodeCalls(decoded, inputs, state, recordsOf(recipe_, catalogue::Section::kCall), fresh.inputs, fresh.result,
                kind);
    if (options_.features.layers && !state.raises()) {
      catalogue::Draw draw(seedOfInputs(), "layers");
      addRecurrentLayer(decoded, state, draw);
    }
    if (options_.features.python && !state.raises()) {
      catalogue::Draw draw(seedOfInputs(), "python");
      addPythonForms(decoded, state, draw);
      catalogue::Draw attention(seedOfInputs(), "attention");
      if (attention.chance(kAttentionPercent)) {
        addAttention(decoded, state, attention);
      }
    }
    decoded = language::withoutUnusedFunctions(std::move(decoded));
    if (state.uses != nullptr) {
      statistics_.uses = state.uses->describe(decoded, rootsOf(decoded, *last, state));
      statistics_.overloads = state.uses->overloads();
    }
    return decoded;
  }

  std::optional<size_t> guilty;
  features::AutogradCycles cycles;

 private:
  static constexpr int64_t kBaseSeed = 7;

  /// Puts the shaped Program into the Case, with the functions that it needs, and runs it: without the forms of FunctionForms where
  /// eager refuses one of them. False: `guilty` is to be left out.
  bool runShaped(Case& decoded, const language::Function& program, const DecoderState& state, const StatementPtr& last,
                 const std::string& kind, FreshRun& fresh) {
    const auto functions = static_cast<std::ptrdiff_t>(decoded.functions.size()),
               customFunctions = static_cast<std::ptrdiff_t>(decoded.customFunctions.size());
    for (const bool mayHaveForms : {true, false}) {
      ShapedProgram shaped = shapeProgram(state, last, mayHaveForms);
      decoded.functions.erase(decoded.functions.begin() + functions, decoded.functions.end());
      decoded.customFunctions.erase(decoded.customFunctions.begin() + customFunctions, decoded.customFunctions.end());
      std::ranges::move(shaped.functions, std::back_inserter(decoded.functions));
      std::ranges::move(shaped.customFunctions, std::back_inserter(decoded.customFunctions));
      decoded.functions.push_back(program);
      shaped.body.push_back(last);
      decoded.functions.back().body = std::move(shaped.body);
      language::CallSpec base;
      base.inputs = "inputs";
      base.seed = kBaseSeed;
      base.kind = kind;
      fresh = runFromFreshInputs(decoded, base, state, shaped.recordOf, cycles);
      const bool isFine = fresh.succeeded && (!shaped.hasForms || language::needsPython(decoded).empty()) &&
                          !(asksForBackward_ && features::runBackward(fresh.inputs, fresh.result).raises);
      if (!isFine && shaped.hasForms) {
        continue;
      }
      guilty = isFine ? std::nullopt : fresh.succeeded ? lastWrite(state) : fresh.guilty;
      break;
    }
    if (!fresh.succeeded || guilty) {
      return false;
    }
    if (state.uses != nullptr) {
      std::ranges::for_each(fresh.overloads, [&](const std::string& name) { state.uses->addOverload(name); });
    }
    return true;
  }

  int64_t elementsOfInputs() const {
    return options_.features.dynamic && !options_.features.large
               ? std::min(options_.maximumElements, DecodeOptions().maximumElements)
               : options_.maximumElements;
  }

  uint64_t seedOfInputs() const {
    const std::vector<const catalogue::Record*> records = recordsOf(recipe_, catalogue::Section::kInput);
    return records.empty() ? 0 : records.front()->attributes;
  }

  /// The record of the last statement that a record gave and that writes to a tensor.
  static std::optional<size_t> lastWrite(const DecoderState& state) {
    for (size_t index = state.statements.size(); index-- > 0;) {
      const DecodedStatement& each = state.statements[index];
      if (each.record && writesToTensors(each.statement)) {
        return each.record;
      }
    }
    return std::nullopt;
  }

  /// The tensors that the Program returns, where some call has a backward.
  static std::vector<at::Tensor> rootsOf(const Case& decoded, const language::Statement& last,
                                         const DecoderState& state) {
    std::vector<at::Tensor> roots;
    const bool hasBackward = std::any_of(decoded.calls.begin(), decoded.calls.end(),
                                         [](const language::CallSpec& call) { return call.backward.has_value(); });
    const std::vector<std::string> names = language::namesRead(last);
    for (const Variable& variable : state.variables) {
      if (hasBackward && variable.value.isTensor() &&
          std::find(names.begin(), names.end(), variable.name) != names.end()) {
        roots.push_back(variable.value.tensor());
      }
    }
    return roots;
  }

  /// The arguments, without the last ones as long as eager refuses to make them; none at all always works.
  InputSpecification acceptedInputs(Case& decoded, evaluator::Evaluator& evaluator, const std::string& kind,
                                    evaluator::InputSet& made) const {
    std::vector<const catalogue::Record*> records = recordsOf(recipe_, catalogue::Section::kInput);
    while (true) {
      InputSpecification inputs = decodeInputs(records, options_.features, elementsOfInputs(), options_.maximumRank);
      if (options_.features.dynamic && !records.empty()) {
        catalogue::Draw draw(records.front()->attributes, "symbols");
        inputs = withSymbols(inputs, draw, options_.maximumElements);
      }
      decoded.functions.front() = inputs.function("inputs");
      try {
        made = evaluator.makeInputs("inputs", kBaseSeed, kind);
        return inputs;
      } catch (const std::exception&) {
        if (records.empty()) {
          throw;
        }
        records.pop_back();
      }
    }
  }

  /// `p0 = m.weight`: a field of the module record is a variable like any other.
  static void takeOut(DecoderState& state, const std::string& name, const std::string& field) {
    const language::ExprPtr read = language::makeAttribute(language::makeName("m"), field);
    Variable variable;
    variable.name = name;
    variable.value = state.evaluator.evaluate(*read, state.environment);
    variable.isInput = true;
    state.environment.names[name] = variable.value;
    state.variables.push_back(std::move(variable));
    state.statements.push_back({.statement = language::makeAssign({language::makeName(name)}, read)});
  }

  /// Raises where an operation returns a tensor of an excluded dtype, as if eager rejected it.
  evaluator::OperationHook refusingDtypes(evaluator::OperationHook run) {
    return [this, run = std::move(run)](const c10::OperatorHandle& op, torch::jit::Stack& stack) {
      if (!run(op, stack)) {
        op.callBoxed(stack);
      }
      const size_t results = op.schema().returns().size();
      for (size_t index = stack.size() - results; index < stack.size(); ++index) {
        for (const at::Tensor& tensor : tensorsIn(stack[index])) {
          if (tensor.defined() && options_.features.exclusions->refuses(tensor.scalar_type())) {
            ++statistics_.excluded;
            throw std::runtime_error("This dtype is excluded.");
          }
        }
      }
      return true;
    };
  }

  static std::vector<at::Tensor> tensorsIn(const c10::IValue& value) {
    if (value.isTensor()) {
      return {value.toTensor()};
    }
    return value.isTensorList() ? value.toTensorVector() : std::vector<at::Tensor>();
  }

  const catalogue::Recipe& recipe_;
  const DecodeOptions& options_;
  DecodeStatistics& statistics_;
  const std::set<size_t>& leftOut_;
  const bool asksForBackward_; // of all that is returned, before it counts
};

} // namespace

Case decode(const catalogue::Recipe& recipe, const DecodeOptions& given) {
  const at::AutoGradMode gradEnabled(true);
  DecodeOptions options = given;
  if (options.maximumElements == DecodeOptions().maximumElements) { // else a profile's
    options.maximumElements = options.features.large     ? kLargeElements
                              : options.features.dynamic ? kDynamicElements
                                                         : options.maximumElements;
  }
  std::set<size_t> leftOut;
  for (int restart = 0; restart < kMaximumRestarts; ++restart) {
    DecodeStatistics statistics;
    Decoding decoding(recipe, options, statistics, leftOut, /*asksForBackward=*/restart < kBackwardRestarts);
    std::optional<Case> decoded = decoding.run();
    decoding.cycles.release();
    if (decoded || restart + 1 == kMaximumRestarts) {
      if (options.statistics) {
        *options.statistics = std::move(statistics);
      }
    }
    if (decoded) {
      return std::move(*decoded);
    }
    if (!decoding.guilty || !leftOut.insert(*decoding.guilty).second) {
      break; // the next attempt would be this one
    }
  }
  // Nothing to hold on to: the inputs alone, returned as they are, or nothing of the Recipe at all.
  catalogue::Recipe inputsOnly;
  for (const catalogue::Record& record : recipe) {
    if (record.section() == catalogue::Section::kInput && inputsOnly.size() < catalogue::kMaximumRecords) {
      inputsOnly.push_back(record);
    }
  }
  return decode(inputsOnly.size() < recipe.size() ? inputsOnly : catalogue::Recipe(), given);
}

} // namespace touchstone::decoder
