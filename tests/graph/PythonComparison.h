#pragma once

#include "program/evaluator/Evaluator.h"
#include "program/language/CasePrinter.h"
#include "program/parser/CaseParser.h"
#include "program/values/RaisedException.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/randint.h>
#include <c10/core/ScalarType.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include <bit>
#include <cstdio>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

// Runs functions of case files through the Evaluator and through Python, and compares what came of them: values, strides,
// gradients, exceptions. The other side is `tests/python/evaluate_cases.py`.

namespace touchstone::tests::comparison {

/// One case: its name and its functions, `inputs` and `program` among them.
struct ComparedCase {
  std::string name;
  std::string functions;
};

inline std::string doubleHex(double value) {
  return fmt::format("{:016x}", std::bit_cast<uint64_t>(value));
}
inline const char* truthText(bool value) {
  return value ? "True" : "False";
}

inline std::string tensorText(const at::Tensor& tensor, bool withGrad = true) {
  const at::Tensor values = tensor.detach().resolve_conj().resolve_neg().contiguous();
  const auto* bytes = static_cast<const uint8_t*>(values.const_data_ptr());
  std::string hex;
  for (size_t i = 0; i < values.nbytes(); ++i) {
    hex += fmt::format("{:02x}", bytes[i]);
  }
  std::string text =
      fmt::format("Tensor(torch.{} [{}] [{}] {} {} {} {})", c10::getDtypeNames(tensor.scalar_type()).first,
                  fmt::join(tensor.sizes(), ", "), fmt::join(tensor.strides(), ", "), tensor.storage_offset(),
                  truthText(tensor.requires_grad()), truthText(!tensor.grad_fn()), hex);
  if (withGrad && tensor.is_leaf() && tensor.grad().defined()) {
    text += " grad " + tensorText(tensor.grad(), false);
  }
  return text;
}

inline void describe(const values::Value& value, const std::string& indent, std::string& text) {
  auto line = [&](const std::string& content) { text += indent + content + "\n"; };
  if (value.isTensor()) {
    line(tensorText(value.tensor()));
  } else if (value.isNone()) {
    line("None");
  } else if (const auto* flag = value.maybe<bool>()) {
    line(truthText(*flag));
  } else if (const auto* whole = value.maybe<int64_t>()) {
    line(std::to_string(*whole));
  } else if (const auto* number = value.maybe<double>()) {
    line("float:" + doubleHex(*number));
  } else if (const auto* both = value.maybe<std::complex<double>>()) {
    line("complex:" + doubleHex(both->real()) + doubleHex(both->imag()));
  } else if (const auto* string = value.maybe<std::string>()) {
    line("str:" + *string);
  } else if (const auto* dtype = value.maybe<at::ScalarType>()) {
    line("torch." + std::string(c10::getDtypeNames(*dtype).first));
  } else if (const auto* device = value.maybe<at::Device>()) {
    line(device->str());
  } else if (const auto* tuple = value.maybe<values::TuplePtr>(); tuple && (*tuple)->isSize) {
    std::vector<int64_t> sizes;
    for (const values::Value& item : (*tuple)->items) {
      sizes.push_back(item.as<int64_t>());
    }
    line(fmt::format("Size[{}]", fmt::join(sizes, ", ")));
  } else if (const values::ValueList* items = value.items()) {
    line(value.typeName());
    for (const values::Value& item : *items) {
      describe(item, indent + "  ", text);
    }
  } else if (const auto* dict = value.maybe<values::DictPtr>()) {
    line("dict");
    for (const auto& [key, item] : (*dict)->entries) {
      line("  " + key + ":");
      describe(item, indent + "    ", text);
    }
  } else if (const auto* module = value.maybe<values::ModulePtr>()) {
    line(fmt::format("module {} {}", (*module)->typeName, truthText((*module)->training)));
    const char* const kinds[] = {"parameter", "buffer", "module"};
    for (int kind = 0; kind < 3; ++kind) {
      for (const values::ModuleObject::Field& field : (*module)->fields) {
        if (static_cast<int>(field.kind) == kind) {
          line(fmt::format("  {} {}", kinds[kind], field.name));
          describe(field.value, indent + "    ", text);
        }
      }
    }
  } else {
    line(value.typeName());
  }
}

inline std::string raisedText() {
  const values::RaisedException error = values::currentException();
  return fmt::format("raises {}: {}", error.type(), error.message().substr(0, error.message().find('\n')));
}

/// The functions and classes of the text, read one at a time; those of the family of custom functions that it applies are added.
inline language::Case caseOf(const std::string& functions) {
  if (functions.find("@torch.library") != std::string::npos) {
    return parser::parseDefinitions(functions);
  }
  language::Case result;
  std::istringstream lines(functions);
  std::string part;
  auto finish = [&] {
    if (part.starts_with("class ")) {
      result.customFunctions.push_back(parser::parseCustomFunction(part));
    } else if (!part.empty()) {
      result.functions.push_back(parser::parseFunction(part));
    }
  };
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("def ") || line.starts_with("class ")) {
      finish();
      part.clear();
    }
    if (!line.empty()) {
      part += line + "\n";
    }
  }
  finish();
  for (const std::string& name : language::customFunctionNames()) {
    if (functions.find(name + ".apply(") != std::string::npos) {
      result.customFunctions.push_back(parser::parseCustomFunction(language::customFunctionText(name)));
    }
  }
  return result;
}

/// What the Evaluator makes of the case, in the words of evaluate_cases.py.
inline std::string evaluatedText(const language::Case& theCase) {
  std::string text;
  at::manual_seed(0);
  evaluator::Evaluator evaluator(theCase);
  const evaluator::InputSet inputs = evaluator.makeInputs("inputs", 7, "grid");
  values::Value outputs;
  try {
    outputs = evaluator.call("program", inputs.arguments);
    std::string returned = "returns\n";
    describe(outputs, "  ", returned); // may raise: a view that may no longer be used
    text += returned;
  } catch (...) {
    text += raisedText() + "\n";
  }
  text += fmt::format("grad mode {}\n", truthText(at::GradMode::is_enabled()));
  text += fmt::format("draw {}\n", at::randint(0, 1 << 30, {1}).item<int64_t>());
  at::GradMode::set_enabled(true);
  std::vector<at::Tensor> tensors;
  values::collectTensors(outputs, tensors);
  std::vector<at::Tensor> roots;
  std::vector<at::Tensor> tangents;
  try {
    for (const at::Tensor& tensor : tensors) {
      if (tensor.requires_grad() && tensor.grad_fn()) {
        roots.push_back(tensor);
        tangents.push_back(at::ones_like(tensor));
      }
    }
    if (!roots.empty()) {
      torch::autograd::backward(roots, tangents);
    }
  } catch (...) {
    text += "backward " + raisedText() + "\n";
  }
  for (const auto& [title, values] :
       {std::pair("arguments", &inputs.arguments), std::pair("watched", &inputs.watched)}) {
    text += std::string(title) + "\n";
    for (const values::Value& value : *values) {
      describe(value, "  ", text);
    }
  }
  return text;
}

/// What Python makes of all the cases, by name. One process.
inline std::map<std::string, std::string> pythonTexts(const std::vector<ComparedCase>& cases,
                                                      const std::string& suite) {
  const std::string path = fmt::format("{}{}_cases.txt", testing::TempDir(), suite);
  std::ofstream file(path);
  for (const ComparedCase& compared : cases) {
    file << "#### CASE " << compared.name << "\n" << language::dataPreamble() << "\n\n";
    for (const language::CustomFunction& function : caseOf(compared.functions).customFunctions) {
      file << language::printCustomFunction(function) << "\n\n";
    }
    file << compared.functions << "\n";
  }
  file.close();
  const std::string command = fmt::format("OMP_NUM_THREADS=1 {} {}/tests/python/evaluate_cases.py {}",
                                          TOUCHSTONE_PYTHON, TOUCHSTONE_SOURCE_DIR, path);
  std::FILE* pipe = popen(command.c_str(), "r");
  std::string output;
  char buffer[4096];
  for (size_t read = 0; (read = fread(buffer, 1, sizeof(buffer), pipe)) > 0;) {
    output.append(buffer, read);
  }
  EXPECT_EQ(pclose(pipe), 0) << command;
  std::map<std::string, std::string> texts;
  const std::string mark = "#### CASE ";
  for (size_t at = output.find(mark); at != std::string::npos;) {
    const size_t next = output.find(mark, at + 1);
    const std::string part =
        output.substr(at + mark.size(), next == std::string::npos ? next : next - at - mark.size());
    const size_t end = part.find('\n');
    texts[part.substr(0, end)] = part.substr(end + 1);
    at = next;
  }
  return texts;
}

/// Compares each group of cases; Python runs all of them in one process, the first time that a group is asked for.
class PythonComparison {
 public:
  using Groups = std::map<std::string, std::vector<ComparedCase>>;

  PythonComparison(std::string suite, Groups groups) : suite_(std::move(suite)), groups_(std::move(groups)) {
    at::set_num_threads(1);
    std::vector<ComparedCase> all;
    for (auto& [group, cases] : groups_) {
      for (ComparedCase& compared : cases) {
        compared.name = group + "/" + compared.name;
        all.push_back(compared);
      }
    }
    expected_ = pythonTexts(all, suite_);
  }

  void compare(const std::string& group) const {
    ASSERT_FALSE(groups_.at(group).empty());
    for (const ComparedCase& compared : groups_.at(group)) {
      SCOPED_TRACE(compared.name);
      auto found = expected_.find(compared.name);
      if (found == expected_.end()) {
        ADD_FAILURE() << "Python printed nothing for " << compared.name;
        continue;
      }
      try {
        EXPECT_EQ(evaluatedText(caseOf(compared.functions)), found->second) << compared.functions;
      } catch (...) {
        ADD_FAILURE() << raisedText() << "\n" << compared.functions;
      }
    }
  }

 private:
  std::string suite_;
  Groups groups_;
  std::map<std::string, std::string> expected_;
};

/// A case whose program has one tensor argument of shape (2, 3), another of shape (3,) that requires grad, and whole
/// numbers of shape (4,): `x`, `w`, `n`.
inline ComparedCase withUsualInputs(const std::string& name, const std::string& body) {
  return {name,
          "def inputs(seed, kind):\n"
          "    x = data((2, 3), torch.float32, (seed, 0), kind)\n"
          "    w = data((3,), torch.float32, (seed, 1), kind).requires_grad_()\n"
          "    n = data((4,), torch.int64, (seed, 2), kind)\n"
          "    return (x, w, n), ()\n\n\n"
          "def program(x, w, n):\n" +
              body};
}

} // namespace touchstone::tests::comparison
