#pragma once

#include <span>
#include <string_view>
#include <vector>

/// Words that only Python understands, and the modules that they are of.

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
/// The row with the word; null: none has it.
const PythonWords* pythonWordsOf(WordUse use, std::string_view word);
bool isPythonWord(WordUse use, std::string_view word);

/// A module of Python that a case file may import, and that is printed where a word of it is used.
std::span<const std::string_view> pythonModules();

} // namespace touchstone::language
