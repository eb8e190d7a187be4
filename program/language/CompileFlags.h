#pragma once

#include "program/language/Case.h"

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace touchstone::language {

/// A flag of PyTorch's configs that a Case may set: `functorch.cse` is `torch._functorch.config.cse`, and so are `inductor.…`
/// and `dynamo.…`. It changes what is compiled, names nothing, writes no file.
struct CompileFlag {
  enum class Kind { kBool, kInteger, kNumber, kChoice };
  std::string_view name;
  Kind kind = Kind::kBool;
  double least = 0, most = 0; // of a number
  bool mayBeNone = false;
  std::array<std::string_view, 4> choices{}; // texts; the rest is empty
  /// What the generator sets it to, as Python writes it; the rest is empty. None at all where a sound compiler may give something
  /// else by right then, or where nothing becomes of it on this machine.
  std::array<std::string_view, 2> drawn{};
};

/// Every flag, by its config, in alphabetical order.
std::span<const CompileFlag> compileFlags();
const CompileFlag* findCompileFlag(std::string_view name); // null: no Case may set it
/// Whether the flag takes this expression, a literal.
bool takes(const CompileFlag& flag, const Expr& value);
/// `True or False`, `a number from 0 to 1`, `"same_as_forward" or "off"`.
std::string takenBy(const CompileFlag& flag);

using NamedLiterals = std::vector<std::pair<std::string, ExprPtr>>;

/// What COMPILE asks of the installed PyTorch.
struct TorchSettings {
  NamedLiterals flags;
  NamedLiterals options; // of torch.compile
};
/// For one of PyTorch's own backends without the options that only native backends have; the memory budget, which both have, is a
/// flag there. A backend of one's own gets the options as they are.
TorchSettings torchSettings(const CompileSpec& compile, bool isOwnBackend);
/// What it asks of a native backend: the options. The flag of the memory budget is one of them where the backend has such a budget.
NamedLiterals nativeOptions(const CompileSpec& compile, bool hasMemoryBudget);
/// `{"functorch.cse": False}`
std::string printLiterals(const NamedLiterals& literals);

} // namespace touchstone::language
