#include "generators/decoder/Continuation.h"

#include "generators/decoder/CallTrial.h"
#include "generators/decoder/DecoderState.h"
#include "generators/decoder/FreshRun.h"
#include "generators/decoder/ProgramEditing.h"
#include "generators/decoder/ProgramShape.h"
#include "generators/decoder/Splice.h"
#include "generators/features/AutogradCycles.h"
#include "generators/features/EvaluationState.h"
#include "program/analysis/ExactOperators.h"
#include "program/parser/LanguageNames.h"

#include <torch/version.h>

#include <algorithm>
#include <cctype>
#include <set>

namespace touchstone::decoder {

using language::Case;
using language::ExprKind;
using language::ExprPtr;
using language::Function;
using language::Statement;
using language::StatementKind;
using language::StatementPtr;
using values::Value;

namespace {

constexpr int kMaximumContinuationRestarts = 8; // each leaves one statement out
constexpr size_t kMaximumKeptCalls = 8;
constexpr size_t kFirstDonorRecord = 1'000'000; // numbers of the donor's statements, beside those of the records

bool returnsInside(const std::vector<StatementPtr>& body) {
  return std::any_of(body.begin(), body.end(), [](const StatementPtr& each) {
    return each->kind == StatementKind::kReturn || returnsInside(each->body) || returnsInside(each->orElse);
  });
}

bool returnsAtItsEnd(const Function& program) {
  return !program.body.empty() && program.body.back()->kind == StatementKind::kReturn &&
         !returnsInside({program.body.begin(), program.body.end() - 1});
}

/// The first number that no `y7` and no `n7` of the file has.
int firstFreeNumber(const Case& theCase) {
  int64_t next = 0;
  const auto look = [&](const std::string& name) {
    if (name.size() > 1 && name.size() < 8 && (name[0] == 'y' || name[0] == 'n') &&
        std::all_of(name.begin() + 1, name.end(), [](unsigned char each) { return std::isdigit(each) != 0; })) {
      next = std::max<int64_t>(next, std::stoll(name.substr(1)) + 1);
    }
  };
  for (const Function& function : theCase.functions) {
    std::for_each(function.parameters.begin(), function.parameters.end(), look);
    for (const StatementPtr& statement : function.body) {
      const std::vector<std::string> read = language::namesRead(*statement),
                                     written = language::namesWritten(*statement);
      std::for_each(read.begin(), read.end(), look);
      std::for_each(written.begin(), written.end(), look);
    }
  }
  return static_cast<int>(next);
}

ExprPtr returnedBoth(const ExprPtr& before, const ExprPtr& added) {
  const auto isNothing = [](const ExprPtr& value) { return !value || value->kind == ExprKind::kNone; };
  if (isNothing(added) || isNothing(before)) {
    return isNothing(added) ? before : added;
  }
  std::vector<ExprPtr> items{before};
  if (before->kind == ExprKind::kTuple) {
    items = before->children;
  }
  items.push_back(added);
  return language::makeTuple(std::move(items));
}

/// One attempt, without the statements in `left out`.
class Continuing {
 public:
  Continuing(const Case& start, const Case* donor, const catalogue::Recipe& recipe, const DecodeOptions& options,
             DecodeStatistics& statistics, const std::set<size_t>& leftOut)
      : start_(start), donor_(donor), recipe_(recipe), options_(options), statistics_(statistics), leftOut_(leftOut) {}

  /// None: `guilty` is to be left out, or, without one, there is nothing to be had.
  std::optional<Case> run() {
    Case made = start_;
    made.headers.clear();
    made.expectations.clear();
    made.setHeader("torch", TORCH_VERSION);
    made.setHeader("generator", "catalogue " + std::to_string(catalogue::kCatalogueVersion));
    std::optional<Splice> splice;
    if (donor_) {
      splice.emplace(*donor_, made);
    }
    evaluator::EvaluatorOptions watched;
    watched.onOperation = cycles.hook();
    evaluator::Evaluator evaluator(made, watched);
    DecoderState state(options_, statistics_, evaluator);
    if (!begin(evaluator, state)) {
      return std::nullopt;
    }
    state.nextName = firstFreeNumber(made);
    state.castsToInteger = true; // what the Program does to values is not known
    if (splice && !appendDonor(*splice, state)) {
      return std::nullopt;
    }
    if (const std::optional<size_t> writing = decodeStatements(state, recipe_, leftOut_)) {
      guilty = *writing;
      return std::nullopt;
    }
    Function& program = *programOf(made);
    const Function whole = finished(program, state);
    program = whole;
    const FreshRun fresh = runFromFreshInputs(made, start_.calls.front(), state, {}, cycles);
    if (!fresh.succeeded) {
      guilty = fresh.guilty;
      return std::nullopt;
    }
    if (splice) {
      splice->dropUnused(made);
    }
    addCalls(made, state, fresh);
    return made.calls.empty() ? std::nullopt : std::optional<Case>(made);
  }

  std::optional<size_t> guilty;
  features::AutogradCycles cycles;

 private:
  /// Runs the Program up to its `return`, and collects what statements can take.
  bool begin(evaluator::Evaluator& evaluator, DecoderState& state) const {
    const Function* program = start_.find("program");
    if (!program || !returnsAtItsEnd(*program) || start_.calls.empty() || !start_.calls.front().inputs) {
      return false;
    }
    const language::CallSpec& base = start_.calls.front();
    std::vector<std::string> order = program->parameters;
    try {
      const evaluator::InputSet inputs = evaluator.makeInputs(*base.inputs, base.seed, base.kind);
      if (inputs.arguments.size() != program->parameters.size()) {
        return false;
      }
      for (size_t index = 0; index < inputs.arguments.size(); ++index) {
        state.environment.names[program->parameters[index]] = inputs.arguments[index];
      }
      for (const StatementPtr& statement : program->body) {
        if (statement->kind == StatementKind::kReturn) {
          break;
        }
        evaluator.execute(*statement, state.environment);
        for (const std::string& name : language::namesWritten(*statement)) {
          order.push_back(name);
        }
      }
    } catch (const std::exception&) {
      return false;
    }
    std::set<std::string> seen;
    for (size_t place = 0; place < order.size(); ++place) {
      const Value* value = state.environment.find(order[place]);
      if (value && seen.insert(order[place]).second && isUsable(*value, options_)) {
        state.variables.push_back(variableOf(order[place], *value, place < program->parameters.size()));
        for (const StatementPtr& statement : program->body) {
          const std::vector<std::string> read = language::namesRead(*statement);
          state.variables.back().uses += static_cast<int>(std::count(read.begin(), read.end(), order[place]));
        }
      }
    }
    return true;
  }

  bool appendDonor(Splice& splice, DecoderState& state) {
    for (size_t number = 0; splice.next(); ++number) {
      const bool wanted = leftOut_.count(kFirstDonorRecord + number) == 0;
      if (!splice.append(state, kFirstDonorRecord + number, wanted)) {
        guilty = kFirstDonorRecord + number;
        return false;
      }
    }
    return true;
  }

  Function finished(const Function& program, DecoderState& state) const {
    Function whole = program;
    ExprPtr returned = whole.body.back()->value;
    whole.body.pop_back();
    if (!state.statements.empty()) {
      const StatementPtr added = decodeOutputs(state, recordsOf(recipe_, catalogue::Section::kOutput));
      returned = returnedBoth(returned, added->value);
      const std::vector<StatementPtr> body = shapeProgram(state, added, /*mayHaveForms=*/false).body;
      whole.body.insert(whole.body.end(), body.begin(), body.end());
    }
    whole.body.push_back(language::makeReturn(returned));
    return whole;
  }

  void addCalls(Case& made, const DecoderState& state, const FreshRun& fresh) const {
    const language::CallSpec base = made.calls.front();
    if (state.raises()) {
      made.calls.resize(std::min<size_t>(made.calls.size(), 2)); // eager raises in every call
      return;
    }
    made.calls.resize(std::min(made.calls.size(), kMaximumKeptCalls));
    made.calls = callsThatRun(made);
    if (base.inputs == "inputs" && base.gradMode == language::GradMode::kEnable && !base.autocast) {
      decodeCalls(made, InputSpecification{}, state, recordsOf(recipe_, catalogue::Section::kCall), fresh.inputs,
                  fresh.result, base.kind);
    } else if (made.calls.size() == 1) { // compiled code is used again with other values
      made.calls.push_back(made.calls.front());
      ++made.calls.back().seed;
    }
  }

  const Case& start_;
  const Case* donor_;
  const catalogue::Recipe& recipe_;
  const DecodeOptions& options_;
  DecodeStatistics& statistics_;
  const std::set<size_t>& leftOut_;
};

} // namespace

std::optional<Case> continueCase(const Case& start, const Case* donor, const catalogue::Recipe& records,
                                 const DecodeOptions& options) {
  const features::EvaluationState restored; // Programs may switch what holds for the process
  const at::AutoGradMode gradEnabled(true);
  DecodeOptions own = options;
  own.features.exactOnly =
      analysis::usesExactOperatorsOnly(start) && (!donor || analysis::usesExactOperatorsOnly(*donor));
  own.features.shapes = false; // functions and counters would get names that may be taken
  own.features.changedCalls = false; // the inputs of `start` are not known as data: records would be drawn for nothing
  std::set<size_t> leftOut;
  for (int restart = 0; restart <= kMaximumContinuationRestarts; ++restart) {
    DecodeStatistics statistics;
    Continuing attempt(start, donor, records, own, statistics, leftOut);
    std::optional<Case> made = attempt.run();
    attempt.cycles.release();
    if (made || !attempt.guilty) {
      if (options.statistics) {
        *options.statistics = std::move(statistics);
      }
      return made;
    }
    leftOut.insert(*attempt.guilty);
  }
  return std::nullopt;
}

} // namespace touchstone::decoder
