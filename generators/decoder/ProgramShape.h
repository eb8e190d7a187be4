#pragma once

#include "generators/decoder/DecoderState.h"
#include "program/language/Case.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace touchstone::decoder {

/// A decoded Program with its regions, and with some of its statements in functions of their own, branches and loops.
struct ShapedProgram {
  std::vector<language::StatementPtr> body; // without its `return`
  std::vector<language::Function> functions; // that it calls
  std::vector<language::CustomFunction> customFunctions; // the same
  bool hasForms = false; // of FunctionForms
  std::map<const language::Statement*, std::optional<size_t>> recordOf; // of what was added around decoded statements
};

/// Puts runs of statements into functions, branches on sizes or data, and loops, as their own records say; neighbours in
/// one region share one `with`. Straight-line meaning stays what it was while decoding, but for loops, which run an
/// in-place statement twice, and for what FunctionForms makes of functions, if it `may`: the whole is to be run again.
ShapedProgram shapeProgram(const DecoderState& state, const language::StatementPtr& last, bool mayHaveForms);

} // namespace touchstone::decoder
