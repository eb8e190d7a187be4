#pragma once

#include "program/language/Case.h"

#include <string>
#include <string_view>

namespace touchstone::standalone {

/// How the names of backends begin that the installed PyTorch runs.
constexpr std::string_view kTorchFamily = "torch:";

/// The `if __name__ == "__main__":` part, generated from the Case: for the first non-Agreed expectation of a backend of the
/// installed PyTorch it runs the calls up to that one, checks that property, and exits 1 when it differs. Needs PyTorch only.
std::string printMainPart(const language::Case& theCase);

/// The same comparison as a function of this name. It takes the backend as torch.compile knows it, and raises AssertionError where the
/// compiled program differs. What is said of the Case's backend goes for `backend`, `torch:aot_eager`.
struct Assertion {
  std::string text;
  bool runsApart = false; // the process may die of it
};
/// kKept: the function's attribute `compared` has, by name, eager's and the other's, and `different` those that differ.
enum class Compared { kForgotten, kKept };
Assertion printAssertion(const language::Case& theCase, const std::string& backend, const std::string& name,
                         Compared compared = Compared::kForgotten);

} // namespace touchstone::standalone
