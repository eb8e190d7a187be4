#include "generators/decoder/Splice.h"

#include "generators/decoder/ProgramEditing.h"
#include "program/language/CasePrinter.h"
#include "program/language/StatementEditing.h"
#include "program/parser/LanguageNames.h"

#include <algorithm>

namespace touchstone::decoder {

using language::Case;
using language::ExprPtr;
using language::Function;
using language::Statement;
using language::StatementKind;
using language::StatementPtr;
using values::Value;

namespace {

constexpr size_t kMaximumDonorStatements = 24;

/// How well a value stands for another; below 0: not at all.
int likeness(const Value& value, const Value& wanted) {
  if (!value.isTensor() || !wanted.isTensor()) {
    const bool alike = (value.is<int64_t>() && wanted.is<int64_t>()) || (value.is<bool>() && wanted.is<bool>());
    return alike ? 0 : -1;
  }
  const at::Tensor& have = value.tensor();
  const at::Tensor& want = wanted.tensor();
  const bool sameClass = have.is_floating_point() == want.is_floating_point() && have.is_complex() == want.is_complex();
  if (!sameClass) {
    return -1;
  }
  return (have.scalar_type() == want.scalar_type() ? 2 : 0) + (have.dim() == want.dim() ? 2 : 0) +
         (have.sizes() == want.sizes() ? 4 : 0) + (have.requires_grad() == want.requires_grad() ? 1 : 0);
}

bool isReadBy(const Case& theCase, const std::string& name) {
  return std::ranges::any_of(theCase.allBodies(), [&](const Function* function) {
    bool isRead = false;
    language::forEachNameRead(theCase, *function, [&](const std::string& read) { isRead = isRead || read == name; });
    return isRead;
  });
}

} // namespace

bool isUsable(const Value& value, const DecodeOptions& options) {
  if (!value.isTensor()) {
    return value.is<int64_t>() || value.is<bool>();
  }
  const at::Tensor& tensor = value.tensor();
  return tensor.defined() && isWithinSizes(options, tensor);
}

Splice::Splice(const Case& donor, Case& receiver) : donor_(donor) {
  for (const Function& function : donor.functions) {
    const bool isBetween = std::any_of(donor.calls.begin(), donor.calls.end(),
                                       [&](const language::CallSpec& call) { return call.between == function.name; });
    if (function.name == "program" || language::isInputsName(function.name) || isBetween) {
      continue;
    }
    const Function* taken = receiver.find(function.name);
    if (!taken) {
      receiver.functions.push_back(function);
      adopted_.insert(function.name);
    } else if (language::printFunction(*taken) != language::printFunction(function)) {
      unavailable_.insert(function.name);
    }
  }
  for (const language::CustomFunction& function : donor.customFunctions) {
    const language::CustomFunction* taken = receiver.findCustomFunction(function.name);
    if (taken == nullptr && receiver.find(function.name) == nullptr) {
      receiver.customFunctions.push_back(function);
      adopted_.insert(function.name);
    } else if (taken == nullptr || language::printCustomFunction(*taken) != language::printCustomFunction(function)) {
      unavailable_.insert(function.name);
    }
  }
  for (const language::CustomOperator& made : donor.customOperators) {
    const language::CustomOperator* taken = receiver.findCustomOperator(made.body.name);
    const bool isFree = taken == nullptr && std::ranges::none_of(receiver.customOperators, [&](const auto& each) {
                          return each.qualifiedName() == made.qualifiedName();
                        });
    if (isFree && receiver.find(made.body.name) == nullptr) {
      receiver.customOperators.push_back(made);
      adopted_.insert(made.body.name);
    } else if (taken == nullptr || language::printCustomOperator(*taken) != language::printCustomOperator(made)) {
      unavailable_.insert(made.body.name);
    }
  }
  evaluator::EvaluatorOptions watched;
  watched.onOperation = cycles_.hook();
  evaluator_ = std::make_unique<evaluator::Evaluator>(donor, watched);
  const Function* program = donor.find("program");
  ended_ = !program || donor.calls.empty() || !donor.calls.front().inputs;
  if (!ended_) {
    try {
      const language::CallSpec& base = donor.calls.front();
      const evaluator::InputSet inputs = evaluator_->makeInputs(*base.inputs, base.seed, base.kind);
      for (size_t index = 0; index < std::min(inputs.arguments.size(), program->parameters.size()); ++index) {
        environment_.names[program->parameters[index]] = inputs.arguments[index];
      }
    } catch (const std::exception&) {
      ended_ = true;
    }
  }
}

bool Splice::next() {
  if (ended_) {
    return false;
  }
  const std::vector<StatementPtr>& body = donor_.program().body;
  ended_ =
      position_ >= std::min(body.size(), kMaximumDonorStatements) || body[position_]->kind == StatementKind::kReturn;
  position_ += ended_ ? 0 : 1;
  return !ended_;
}

bool Splice::mapReads(DecoderState& state) {
  const StatementPtr& statement = donor_.program().body[position_ - 1];
  for (const std::string& name : language::namesRead(*statement)) {
    const Value* wanted = environment_.find(name);
    if (!wanted) {
      if (unavailable_.count(name) != 0) {
        return false;
      }
      continue; // `torch`, a function, or a name of the statement's own
    }
    if (names_.count(name) != 0) {
      continue;
    }
    int best = -1;
    std::vector<size_t> alike;
    for (size_t index = state.variables.size(); index-- > 0;) {
      const int score = likeness(state.variables[index].value, *wanted);
      if (score > best) {
        alike.clear();
        best = score;
      }
      if (score >= 0 && score == best) {
        alike.push_back(index);
      }
    }
    if (alike.empty()) {
      return false;
    }
    catalogue::Draw draw(catalogue::hashName(name) ^ position_, "alike");
    const Variable& chosen =
        state.variables[alike[static_cast<size_t>(draw.below(static_cast<int64_t>(alike.size())))]];
    names_[name] = chosen.name;
  }
  return true;
}

std::string Splice::nameForWrite(DecoderState& state, const std::string& name, bool isRead) {
  const auto known = names_.find(name);
  if (known != names_.end() && isRead) {
    return known->second; // `x += 1`
  }
  return state.newName();
}

bool Splice::append(DecoderState& state, size_t record, bool wanted) {
  const StatementPtr& statement = donor_.program().body[position_ - 1];
  const std::map<std::string, std::string> before = names_;
  bool possible = wanted && statement->kind != StatementKind::kDelete && mapReads(state);
  std::vector<std::string> written = language::namesWritten(*statement);
  StatementPtr ours;
  if (possible) {
    const std::vector<std::string> read = language::namesRead(*statement);
    std::map<std::string, std::string> names = names_;
    for (const std::string& name : written) {
      names[name] = nameForWrite(state, name, std::find(read.begin(), read.end(), name) != read.end());
    }
    ours = withNames(statement, names);
    try {
      state.evaluator.execute(*ours, state.environment);
      names_ = std::move(names);
    } catch (const std::exception&) {
      ++state.statistics.rejected;
      if (writesToTensors(statement)) {
        return false;
      }
      possible = false;
    }
  }
  if (!possible) {
    names_ = before;
    for (const std::string& name : written) {
      names_.erase(name); // what is there under this name is something else from here on
    }
  }
  try {
    evaluator_->execute(*statement, environment_);
  } catch (const std::exception&) {
    ended_ = true;
  }
  if (!possible) {
    return true;
  }
  state.statements.push_back({.statement = ours, .record = record});
  state.statistics.accepted.emplace_back("spliced");
  state.markRead(*ours);
  for (const std::string& name : language::namesWritten(*ours)) {
    const Value* value = state.environment.find(name);
    std::erase_if(state.variables, [&](const Variable& each) { return each.name == name; });
    if (value && isUsable(*value, state.options)) {
      state.variables.push_back(variableOf(name, *value, /*isInput=*/false));
    }
  }
  return true;
}

void Splice::dropUnused(Case& made) const {
  const auto isUnused = [&](const std::string& name) { return adopted_.count(name) != 0 && !isReadBy(made, name); };
  for (size_t before = made.functions.size() + 1; made.functions.size() < before;) {
    before = made.functions.size();
    const auto unused = std::find_if(made.functions.begin(), made.functions.end(),
                                     [&](const Function& function) { return isUnused(function.name); });
    if (unused != made.functions.end()) {
      made.functions.erase(unused);
    }
  }
  std::erase_if(made.customFunctions, [&](const language::CustomFunction& each) { return isUnused(each.name); });
  std::erase_if(made.customOperators, [&](const language::CustomOperator& each) { return isUnused(each.body.name); });
}

} // namespace touchstone::decoder
