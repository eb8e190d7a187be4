#pragma once

#include "program/language/Case.h"

#include <string>

namespace touchstone::language {

/// The short form leaves out what need not be read: the `data` preamble, and the `__main__` part that is made from the rest.
enum class CaseForm { kWhole, kShort };

/// The file without headers and `__main__` part: what a Python worker executes to define the Program's functions.
std::string printDefinitions(const Case& theCase, CaseForm form = CaseForm::kWhole);

std::string printExpression(const Expr& expr);
std::string printString(const std::string& text); // as a literal, in double quotes
std::string printStatement(const Statement& statement, int indent = 0);
std::string printFunction(const Function& function, int indent = 0);
std::string printCustomFunction(const CustomFunction& function);
std::string printCustomOperator(const CustomOperator& made);
std::string printClass(const PythonClass& made);
/// One entry of CALLS: `dict(inputs="inputs", seed=7)`.
std::string printCall(const CallSpec& call);

/// The fixed text of `def data(shape, dtype, seed, kind)`, accepted character by character by the parser.
const std::string& dataPreamble();
/// What stands behind it where tensors live on a device, and the line that says which one.
const std::string& dataOnDevicePreamble();
std::string deviceStatement(const std::string& device);

/// What stands above a `backward` that is differentiated once at most.
constexpr const char* kOnceDifferentiable = "torch.autograd.function.once_differentiable";

/// The text of one class of the family of custom autograd functions that generators draw from; throws std::out_of_range.
const std::string& customFunctionText(const std::string& name);
std::vector<std::string> customFunctionNames();

} // namespace touchstone::language
