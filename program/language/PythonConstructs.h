#pragma once

#include "program/language/Case.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

/// What a Program may use that only Python can run. A Case that uses some of it has the uncompiled Program as its reference, in the
/// worker of the installed PyTorch; native backends do not take it. A construct that the evaluator has learned loses its row here.

namespace touchstone::language {

/// How a word stands in the text.
enum class WordUse {
  kCall, // `torch.optim.SGD(…)`, `functools.partial(…)`: the whole path, called
  kValue, // the same, not called: `torch.Tensor`
  kBuiltin, // `zip(…)`, where no variable and no function of the file is called so
  kMethod, // `x.step(…)`, of whatever it is asked
  kAttribute, // `x.grad_fn`, the same
  kContext, // `with torch.autograd.profiler.record_function(…)`: the whole path, called behind `with`
  kDecorator, // `@torch.compiler.disable`: the whole path, called or not
  kBase, // of a class
};

struct PythonWords {
  std::string_view construct; // its name in reports and counts
  WordUse use;
  std::vector<std::string_view> words;
};

std::span<const PythonWords> pythonWords();
bool isPythonWord(WordUse use, std::string_view word);

/// A module of Python that a case file may import, and that is printed where a word of it is used.
std::span<const std::string_view> pythonModules();

/// The constructs for which the Case needs Python, each once, in order of appearance; empty: the evaluator runs it.
std::vector<std::string> needsPython(const Case& theCase);
/// Those of one function, of the functions and classes of the Case that it uses, and of the constants.
std::vector<std::string> needsPython(const Case& theCase, const Function& function);
/// The modules of pythonModules() that the text of the Case uses.
std::vector<std::string> modulesUsed(const Case& theCase);

} // namespace touchstone::language
