#include "generators/decoder/FreshRun.h"

#include <memory>

namespace touchstone::decoder {

using language::Statement;

namespace {

/// The record of the statement that raised; none: it is of none.
std::optional<size_t> recordToBlame(const Statement* reached, const DecoderState& state,
                                    const std::map<const Statement*, std::optional<size_t>>& recordOf) {
  const auto raised = [&](const Statement& each) { return &each == reached; };
  for (const DecodedStatement& decoded : state.statements) {
    if (language::anyStatement({decoded.statement}, raised)) {
      return decoded.record;
    }
  }
  if (const auto around = recordOf.find(reached); around != recordOf.end()) {
    return around->second;
  }
  const bool returns = reached != nullptr && reached->kind == language::StatementKind::kReturn;
  if (returns && !state.statements.empty()) { // what is returned does not fit any more: one of these changed it
    return state.statements.back().record;
  }
  return std::nullopt;
}

} // namespace

FreshRun runFromFreshInputs(const language::Case& theCase, const language::CallSpec& base, const DecoderState& state,
                            const std::map<const Statement*, std::optional<size_t>>& recordOf,
                            features::AutogradCycles& cycles) {
  FreshRun run;
  const Statement* reached = nullptr;
  const auto inProgram = std::make_shared<bool>(false); // hooks that the Program registers may run when this is over
  evaluator::EvaluatorOptions options;
  options.onOperation = cycles.hook();
  if (state.uses != nullptr) {
    options.onOperation = [overloads = &run.overloads, inProgram, run = cycles.hook()](const c10::OperatorHandle& op,
                                                                                       torch::jit::Stack& stack) {
      if (*inProgram) {
        overloads->insert(c10::toString(op.operator_name()));
      }
      return run(op, stack);
    };
  }
  options.onStatement = [&reached, inProgram](const Statement& statement, int) {
    if (*inProgram) {
      reached = &statement;
    }
  };
  try {
    evaluator::Evaluator evaluator(theCase, options);
    run.inputs = evaluator.makeInputs(*base.inputs, base.seed, base.kind);
    *inProgram = true;
    run.result = evaluator.call("program", run.inputs.arguments);
    run.succeeded = true;
  } catch (const std::exception&) {
    run.succeeded = state.raises() && reached == state.statements.back().statement.get();
  }
  *inProgram = false;
  if (!run.succeeded) {
    run.guilty = recordToBlame(reached, state, recordOf);
  }
  return run;
}

} // namespace touchstone::decoder
