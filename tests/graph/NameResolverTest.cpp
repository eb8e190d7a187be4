#include "program/torch_names/NameResolver.h"

#include "program/parser/CaseParser.h"
#include "program/torch_names/ArgumentParser.h"
#include "tests/graph/SpellingEvaluator.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/record_function.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <memory>
#include <regex>
#include <sstream>

namespace touchstone::tests {
namespace {

/// What eager Python does for one spelling.
struct Golden {
  std::string spelling;
  std::string operators;
  std::string result;
};

struct Spellings {
  std::vector<std::string> assignments;
  std::vector<Golden> goldens;
};

std::vector<std::string> linesOf(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    lines.push_back(line);
  }
  return lines;
}

// Python is asked once for the whole test.
const Spellings& spellings() {
  static const auto* const all = [] {
    auto* result = new Spellings();
    const std::string list = TOUCHSTONE_SOURCE_DIR "/tests/python/name_spellings.txt";
    std::ifstream file(list);
    for (std::string line; std::getline(file, line) && !line.empty();) {
      if (line[0] != '#') {
        result->assignments.push_back(line);
      }
    }
    const std::string command = "OMP_NUM_THREADS=1 " TOUCHSTONE_PYTHON " " TOUCHSTONE_SOURCE_DIR
                                "/tests/python/report_names.py " +
                                list + " 2>/dev/null";
    std::string output;
    std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
    std::array<char, 1 << 14> buffer;
    while (size_t got = fread(buffer.data(), 1, buffer.size(), pipe.get())) {
      output.append(buffer.data(), got);
    }
    std::vector<std::string> lines = linesOf(output);
    for (size_t i = 0; i + 2 < lines.size(); i += 3) {
      result->goldens.push_back({lines[i], lines[i + 1], lines[i + 2]});
    }
    return result;
  }();
  return *all;
}

std::vector<std::string>*& recorded() {
  static std::vector<std::string>* names = nullptr;
  return names;
}

/// Collects the operators that the dispatcher sees, those inside other operators included, while it lives.
class OperatorRecorder {
 public:
  OperatorRecorder() {
    recorded() = &names_;
    handle_ = at::addThreadLocalCallback(
        at::RecordFunctionCallback([](const at::RecordFunction& call) -> std::unique_ptr<at::ObserverContext> {
          const std::string name(call.name());
          // Python sets flags of autograd without the dispatcher; ours are operators, so that a capture sees them.
          const bool isFlag = name == "aten::requires_grad_" || name == "aten::retain_grad";
          if (recorded() && name.starts_with("aten::") && !isFlag) {
            std::string overload = call.operator_name() ? call.operator_name()->overload_name : "";
            recorded()->push_back(name.substr(6) + (overload.empty() ? "" : "." + overload));
          }
          return nullptr;
        }).scopes({at::RecordScope::FUNCTION}));
  }
  ~OperatorRecorder() {
    at::removeCallback(handle_);
    recorded() = nullptr;
  }
  std::string text() const { return fmt::format("{}", fmt::join(names_, " ")); }

 private:
  std::vector<std::string> names_;
  at::CallbackHandle handle_;
};

std::string numbersText(at::IntArrayRef numbers) {
  return fmt::format("({})", fmt::join(numbers.begin(), numbers.end(), ","));
}

void noDispatchHook(const c10::OperatorHandle& op, torch::jit::Stack& stack) {
  op.callBoxed(stack);
}

std::string describe(const values::Value& value);

std::string describeItems(const values::ValueList& items) {
  std::string text;
  for (const values::Value& item : items) {
    text += (text.empty() ? "" : ",") + describe(item);
  }
  return text;
}

// The form that tests/python/report_names.py prints.
std::string describe(const values::Value& value) {
  if (auto* tensor = value.maybe<at::Tensor>()) {
    static const std::map<at::ScalarType, std::string> dtypes = {
        {at::kFloat, "float32"},     {at::kDouble, "float64"}, {at::kHalf, "float16"},
        {at::kBFloat16, "bfloat16"}, {at::kLong, "int64"},     {at::kInt, "int32"},
        {at::kByte, "uint8"},        {at::kBool, "bool"},      {at::kComplexFloat, "complex64"}};
    at::Tensor detached = tensor->detach();
    values::Value list = torch_names::callNamed(torch_names::NameSpace::kMethod, "tolist", {values::Value(detached)},
                                                {}, noDispatchHook);
    return dtypes.at(tensor->scalar_type()) + numbersText(tensor->sizes()) + numbersText(tensor->strides()) +
           (tensor->requires_grad() ? "g" : "-") + describe(list);
  }
  if (auto* dtype = value.maybe<at::ScalarType>()) {
    return *dtype == at::kFloat ? "torch.float32" : *dtype == at::kHalf ? "torch.float16" : "torch.other";
  }
  if (value.is<values::ListPtr>()) {
    return "list[" + describeItems(*value.items()) + "]";
  }
  if (const values::ValueList* items = value.items()) {
    return "tuple[" + describeItems(*items) + "]";
  }
  if (auto* flag = value.maybe<bool>()) {
    return *flag ? "True" : "False";
  }
  if (auto* number = value.maybe<int64_t>()) {
    return fmt::format("{}", *number);
  }
  if (auto* number = value.maybe<double>()) {
    return fmt::format("{:.5g}", *number);
  }
  if (auto* number = value.maybe<std::complex<double>>()) {
    return fmt::format("({:.5g},{:.5g})", number->real(), number->imag());
  }
  if (auto* text = value.maybe<std::string>()) {
    return "'" + *text + "'";
  }
  return value.isNone() ? "None" : value.typeName();
}

/// What the resolver does for one.
struct Answer {
  std::string operators;
  std::string result;
};

bool isStatement(const std::string& spelling) {
  static const std::regex pattern(R"(x(\[.*\])? (\+|-|\*|/|//|%|\*\*|@|&|\||\^|<<|>>)?= .*)");
  return std::regex_match(spelling, pattern);
}

Answer evaluateSpelling(const std::string& spelling, const std::vector<std::string>& assignments) {
  SpellingEvaluator evaluator(noDispatchHook);
  at::Generator generator = at::globalContext().defaultGenerator(at::kCPU);
  generator.set_current_seed(0);
  for (const std::string& assignment : assignments) {
    language::StatementPtr statement = parser::parseStatement(assignment);
    evaluator.variables[statement->targets[0]->text] = evaluator.evaluate(*statement->value);
  }
  language::StatementPtr statement = isStatement(spelling)
                                         ? parser::parseStatement(spelling)
                                         : language::makeExpressionStatement(parser::parseExpression(spelling));
  Answer answer;
  OperatorRecorder recorder;
  values::Value result;
  try {
    if (statement->kind == language::StatementKind::kExpression) {
      result = evaluator.evaluate(*statement->value);
    } else if (statement->kind == language::StatementKind::kAssign) {
      values::Value value = evaluator.evaluate(*statement->value);
      evaluator.assign(*statement->targets[0], value);
      result = evaluator.variables.at("x");
    } else {
      std::string op = statement->text.substr(0, statement->text.size() - 1);
      values::Value value = evaluator.evaluate(*statement->value);
      result = torch_names::tensorAugmented(op, evaluator.variables.at("x"), value, noDispatchHook);
    }
  } catch (...) {
    values::RaisedException error = values::currentException();
    answer.result = error.type() + ": " + error.message().substr(0, error.message().find('\n'));
  }
  answer.operators = recorder.text();
  if (answer.result.empty()) {
    recorded() = nullptr;
    answer.result = describe(result);
  }
  return answer;
}

class NameResolverTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { at::set_num_threads(1); }
};

TEST_F(NameResolverTest, PythonAnsweredForEverySpelling) {
  EXPECT_GT(spellings().goldens.size(), 600u);
  EXPECT_EQ(spellings().assignments.size(), 10u);
}

// Every spelling calls the operators that eager Python calls, in its order, and gives its result or its error.
TEST_F(NameResolverTest, SpellingsDoWhatEagerPythonDoes) {
  for (const Golden& golden : spellings().goldens) {
    SCOPED_TRACE(golden.spelling);
    Answer answer;
    try {
      answer = evaluateSpelling(golden.spelling, spellings().assignments);
    } catch (const parser::ParseError& error) {
      ADD_FAILURE() << error.message();
      continue;
    }
    EXPECT_EQ(answer.operators, golden.operators);
    EXPECT_EQ(answer.result, golden.result);
  }
}

} // namespace
} // namespace touchstone::tests
