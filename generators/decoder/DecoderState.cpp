#include "generators/decoder/DecoderState.h"

#include "generators/catalogue/CalledOperators.h"
#include "program/parser/CaseParser.h"

#include <algorithm>

namespace touchstone::decoder {

using language::StatementPtr;
using values::Value;

int DecoderState::factorsOf(const at::Tensor& tensor) const {
  const auto known = factors.find(tensor.storage().unsafeGetStorageImpl());
  return known == factors.end() ? 1 : known->second;
}

void DecoderState::noteFactors(const at::Tensor& tensor, int count) {
  int& known = factors[tensor.storage().unsafeGetStorageImpl()];
  known = std::max(known, count);
}

const Variable* DecoderState::find(const std::string& name) const {
  const auto found = std::ranges::find(variables, name, &Variable::name);
  return found == variables.end() ? nullptr : &*found;
}

at::Tensor DecoderState::tensorNamed(const std::string& name) const {
  const Variable* variable = find(name);
  return variable != nullptr && variable->value.isTensor() ? variable->value.tensor() : at::Tensor();
}

void DecoderState::markRead(const language::Statement& statement) {
  for (const std::string& name : language::namesRead(statement)) {
    for (Variable& variable : variables) {
      variable.uses += variable.name == name ? 1 : 0;
    }
  }
}

bool isWithinSizes(const DecodeOptions& options, const at::Tensor& tensor) {
  return tensor.layout() == at::kStrided && tensor.device().is_cpu() && tensor.numel() <= options.maximumElements &&
         tensor.dim() <= options.maximumRank;
}

bool isWithinBounds(const DecoderState& state, const at::Tensor& tensor) {
  return isWithinSizes(state.options, tensor) &&
         valuesAreBounded(tensor, state.options.features.exactOnly ? kExactBound : kFiniteBound);
}

bool appendWritten(DecoderState& state, const std::string& text, Region region,
                   const std::function<bool(const at::Tensor& made)>& isWanted) {
  const StatementPtr statement = parser::parseStatement(text);
  const std::vector<std::string> made = statement->kind == language::StatementKind::kAssign
                                            ? language::namesWritten(*statement)
                                            : std::vector<std::string>();
  catalogue::Exclusions* const exclusions = state.options.features.exclusions;
  if (exclusions != nullptr && catalogue::refusesCalled(exclusions, catalogue::operatorsCalled({statement}))) {
    return false;
  }
  try {
    const RegionScope scope(region);
    state.evaluator.execute(*statement, state.environment);
  } catch (const std::exception&) { // they do not broadcast, a value is missing, …
    return false;
  }
  for (const std::string& name : made) {
    const Value value = state.environment.names.at(name);
    if (isWanted && !isWanted(value.tensor())) {
      state.environment.names.erase(name);
      return false;
    }
  }
  state.statements.push_back({.statement = statement, .region = region});
  state.markRead(*statement);
  for (const std::string& name : made) {
    const Value& value = state.environment.names.at(name);
    if (value.is<values::HandlePtr>()) {
      continue; // what removes a hook is no operand
    }
    state.variables.push_back(variableOf(name, value, /*isInput=*/false));
    state.variables.back().madeWithoutGrad = !leavesGradOn(region);
  }
  return true;
}

} // namespace touchstone::decoder
