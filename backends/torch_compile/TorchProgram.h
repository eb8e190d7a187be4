#pragma once

#include "backends/Backend.h"
#include "program/language/Case.h"
#include "program/values/CompiledProgram.h"

#include <memory>
#include <optional>
#include <set>
#include <string>

namespace touchstone::torch_compile {

/// What torch.compile is given besides the Program.
struct TorchCompileArguments {
  std::optional<bool> dynamic = false;
  bool fullgraph = false;
  std::string options; // the text of a Python dict; empty: none
  std::string flags = "{}"; // of PyTorch's configs: see `bridge/flags.py`
  bool needsPython = false; // the text is more than an evaluator could run
  std::set<std::string> functions = {}; // those that callFunction() calls
  bool keepsStages = false; // see values::CompiledProgram::stages()
  bool keepsCalls = false; // with keepsStages: see values::CompiledProgram::replayCalls()
  std::optional<backends::Serving> served; // see values::CompiledProgram::servedCalls()
};

/// Defines the functions of a case file's text in a fresh namespace and compiles its `program` with the backend of that
/// name (without `torch:`), lazily. Everything that PyTorch kept of an earlier Program is dropped first, and everything
/// kept of this one when the result dies. Throws RaisedException when the text cannot be executed, ir::Unsupported
/// when the pipeline states that it cannot take the Program.
std::unique_ptr<values::CompiledProgram> compileInPython(const std::string& source, const std::string& backend,
                                                         const TorchCompileArguments& arguments = {});

} // namespace touchstone::torch_compile
