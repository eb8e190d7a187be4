#pragma once

#include "program/analysis/FlatProgram.h"

#include <string>
#include <vector>

namespace touchstone::suppressions {

/// How what stands in a place hangs on a named value.
enum class Connection {
  kSame, // `x`: it is that value, or a list with it
  kAlias, // `alias(x)`: it shares memory with it; views between are allowed
  kFrom, // `from(x)`: it is computed from it, by whatever is between
};

/// A place in a step or a condition.
struct MaskOperand {
  enum class Kind { kAnything, kValue, kText };
  Kind kind = Kind::kAnything;
  Connection connection = Connection::kSame;
  std::string text; // the name of a value, or what has to stand there: `False`
  std::string keyword; // empty: by position
  bool operator==(const MaskOperand&) const = default;
};

/// One operation: `with no_grad: y = unbind|split(x, _)`.
struct MaskStep {
  std::vector<std::string> operators; // any of them; `*` stands for any letters
  std::vector<MaskOperand> operands; // the operation may have more behind them
  std::vector<std::string> results; // one: any of its results; several: by position
  std::string region; // empty: anywhere
  bool operator==(const MaskStep&) const = default;
};

/// What has to hold besides: `x is an argument`.
struct MaskCondition {
  enum class Kind {
    kIsArgument,
    kIsReturned,
    kIsSeen, // returned, or an argument afterwards
    kIsDifferentiated,
    kRequiresGrad,
    kHasDtype,
    kIsEmpty,
    kIsExpanded,
    kSharesMemory,
    kArgumentsShareMemory,
    kCallsAsk,
  };
  Kind kind = Kind::kIsArgument;
  MaskOperand subject; // of those about a value
  std::string text; // the dtype, the other value, or what calls ask for
  bool isNegated = false;
  bool operator==(const MaskCondition&) const = default;
};

/// A pattern over Programs: operations in this order, with anything before, between and behind them, that hang together in
/// this way. docs/known.md has the form.
struct Mask {
  std::vector<MaskStep> steps; // one at least
  std::vector<MaskCondition> conditions;
  bool operator==(const Mask&) const = default;
};

/// From lines and back: readMask(maskLines(mask)) is the mask. Throws std::invalid_argument with the line, what is wrong with
/// it, and what may stand there.
Mask readMask(const std::vector<std::string>& lines);
std::vector<std::string> maskLines(const Mask& mask);

/// True when the Program holds the pattern. What would take too many attempts to decide is not masked.
bool matches(const Mask& mask, const analysis::FlatProgram& program);

} // namespace touchstone::suppressions
