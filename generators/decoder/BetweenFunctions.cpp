#include "generators/decoder/BetweenFunctions.h"

#include <ATen/core/Tensor.h>

#include <iterator>
#include <vector>

namespace touchstone::decoder {

using language::ExprPtr;

namespace {

constexpr int kMaximumFunctions = 3;

ExprPtr itemOf(const char* list, size_t index) {
  return language::makeSubscript(language::makeName(list), {language::makeInt(static_cast<int64_t>(index))});
}

/// What may be written to, `.grad` aside.
std::vector<ExprPtr> targets(const InputSpecification& inputs, const values::Value& result) {
  std::vector<ExprPtr> found;
  for (size_t index = 0; index < inputs.arguments.size(); ++index) {
    const ArgumentSpecification& argument = inputs.arguments[index];
    if (argument.base >= 0 && argument.layout != Layout::kExpanded &&
        c10::isFloatingType(inputs.bases[static_cast<size_t>(argument.base)].dtype)) {
      found.push_back(itemOf("args", index));
    }
  }
  if (inputs.module) {
    found.push_back(language::makeAttribute(itemOf("args", inputs.arguments.size()), "weight"));
  }
  std::vector<at::Tensor> outputs;
  values::collectTensors(result, outputs);
  for (size_t index = 0; index < outputs.size(); ++index) {
    if (outputs[index].is_floating_point()) {
      found.push_back(itemOf("outs", index));
    }
  }
  return found;
}

language::StatementPtr write(const ExprPtr& target, catalogue::Draw& draw) {
  struct Write {
    const char* method;
    std::optional<int> operand;
  };
  constexpr Write kWrites[] = {{"mul_", 2}, {"add_", 1}, {"zero_", std::nullopt}, {"neg_", std::nullopt}, {"fill_", 3}};
  const Write& chosen = kWrites[draw.below(std::ssize(kWrites))];
  std::vector<ExprPtr> operands;
  if (chosen.operand) {
    operands.push_back(language::makeInt(*chosen.operand));
  }
  return language::makeExpressionStatement(language::makeMethodCall(target, chosen.method, operands));
}

} // namespace

std::optional<std::string> addBetweenFunction(language::Case& theCase, const InputSpecification& inputs,
                                              const values::Value& result, bool toGradient, catalogue::Draw& draw) {
  std::string name;
  for (int number = 1; number <= kMaximumFunctions && name.empty(); ++number) {
    const std::string free = "write_" + std::to_string(number);
    name = theCase.find(free) ? "" : free;
  }
  const std::vector<ExprPtr> all = targets(inputs, result);
  if (name.empty() || all.empty()) {
    return std::nullopt;
  }
  language::Function function;
  function.name = name;
  function.parameters = {"args", "outs"};
  for (int64_t writes = draw.chance(25) ? 2 : 1; writes > 0; --writes) {
    const ExprPtr& target = all[static_cast<size_t>(draw.below(std::ssize(all)))];
    function.body.push_back(write(toGradient ? language::makeAttribute(target, "grad") : target, draw));
  }
  theCase.functions.push_back(std::move(function));
  return name;
}

} // namespace touchstone::decoder
