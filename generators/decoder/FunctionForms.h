#pragma once

#include "generators/catalogue/Draw.h"
#include "generators/decoder/DecoderState.h"
#include "program/language/Case.h"

#include <optional>
#include <string>
#include <vector>

namespace touchstone::decoder {

/// Statements in the place of a call of a function, and what the file has besides for them.
struct FunctionForm {
  std::vector<language::StatementPtr> statements; // bind what the call binds
  std::vector<language::CustomFunction> customFunctions = {};
  std::vector<language::Function> functions = {};
};

/// Writes what people make of functions: transforms of torch.func, own autograd functions, structured control flow, hooks of saved
/// tensors, checkpoints, functions that rebind variables around them. What is bound has the sizes and the dtype that the call gives; eager
/// may refuse it all the same.
class FunctionForms {
 public:
  /// One of a Program; numbers names.
  explicit FunctionForms(const DecoderState& state) : state_(state) {}

  /// `function` is of the file already, its parameters are called like the variables that it takes; `results`: the names that its
  /// call binds, in the order of its `return`. None: no form fits.
  std::optional<FunctionForm> of(const language::Function& function, const std::vector<std::string>& results,
                                 catalogue::Draw& draw);

  /// The function inside the Program, `results` bound by it with `nonlocal`.
  std::vector<language::StatementPtr> rebinding(language::Function function, const std::vector<std::string>& results);
  /// The statements where autograd keeps other tensors than it would, and is given them back.
  FunctionForm underSavedTensorHooks(std::vector<language::StatementPtr> body, catalogue::Draw& draw);

 private:
  const DecoderState& state_;
  int number_ = 0;
};

} // namespace touchstone::decoder
