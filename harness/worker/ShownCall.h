#pragma once

#include "harness/worker/BackendResult.h"
#include "program/language/Case.h"
#include "program/values/CompiledProgram.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace touchstone::worker {

/// How the call that is shown is compiled.
struct CallCompiler {
  std::string backend;
  std::function<std::unique_ptr<values::CompiledProgram>(const language::Case& theCase)> compile;
  /// In place of running the call: it is only traced, for a device that may not be there. What the program raises then is
  /// known from the trace alone.
  std::function<void(const values::ValueList& arguments)> trace = {};
  bool compiledAutograd = false; // the call's backward runs in the program's scope of it
};

struct ShownCall {
  std::unique_ptr<values::CompiledProgram> program; // null: the call was not reached, or was only traced
  /// Agreed; EagerRejected when the inputs or the program raise; Unsupported; InternalError when the backend raises and the
  /// program does not.
  BackendResult result;
};

/// Makes the calls of a Case eagerly but for the last, which is compiled.
ShownCall showCall(const language::Case& theCase, const CallCompiler& compiler);

/// The Case up to a call; of the call itself no more than its forward.
language::Case forwardUpTo(language::Case theCase, int call);

/// `true`, `false`, or `auto` (None) for the Case's `dynamic`; empty: as it is.
void setDynamic(const std::string& dynamic, language::Case& theCase);

std::vector<std::string> linesOf(const std::string& text);

} // namespace touchstone::worker
