#include "program/analysis/FlatProgram.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>

namespace touchstone::analysis {

namespace {

using language::CallSpec;

/// What each request is called, and whether a call asks for it.
struct CallRequest {
  const char* name;
  std::function<bool(const CallSpec& call, const CallSpec& first)> isAskedFor;
};

const std::vector<CallRequest>& requestTable() {
  static const std::vector<CallRequest> kTable{
      {"backward", [](const auto& call, const auto&) { return call.backward.has_value(); }},
      {"grad", [](const auto& call, const auto&) { return call.backward && call.via == language::GradientVia::kGrad; }},
      {"some leaves", [](const auto& call, const auto&) { return call.wrt.has_value(); }},
      {"several backwards", [](const auto& call, const auto&) { return call.backwardTimes > 1; }},
      {"later backward", [](const auto& call, const auto&) { return !call.backwardAfter.empty(); }},
      {"create_graph", [](const auto& call, const auto&) { return call.createGraph; }},
      {"tangent layout",
       [](const auto& call, const auto&) { return call.tangentLayout != language::TangentLayout::kLike; }},
      {"compiled_autograd", [](const auto& call, const auto&) { return call.compiledAutograd; }},
      {"no_grad", [](const auto& call, const auto&) { return call.gradMode == language::GradMode::kNoGrad; }},
      {"inference", [](const auto& call, const auto&) { return call.gradMode == language::GradMode::kInference; }},
      {"autocast", [](const auto& call, const auto&) { return call.autocast.has_value(); }},
      {"between", [](const auto& call, const auto&) { return call.between.has_value(); }},
      {"other inputs", [](const auto& call, const auto& first) { return call.inputs && call.inputs != first.inputs; }},
      {"other grad mode", [](const auto& call, const auto& first) { return call.gradMode != first.gradMode; }},
      {"other autocast", [](const auto& call, const auto& first) { return call.autocast != first.autocast; }},
      {"second derivative", [](const auto& call, const auto&) { return call.backward && call.derivatives > 1; }},
      {"fed", [](const auto& call, const auto&) { return !call.feed.empty(); }},
      {"compiled twice", [](const auto& call, const auto&) { return call.instance > 0; }},
      {"same objects", [](const auto& call, const auto&) { return !call.inputs.has_value(); }},
  };
  return kTable;
}

std::string nameOf(const FlatProgram& program, int value) {
  const std::string& name = program.values[static_cast<size_t>(value)].name;
  return name.empty() ? fmt::format("v{}", value) : name;
}

std::string operandText(const FlatProgram& program, const FlatOperand& operand) {
  std::string text = operand.text;
  if (operand.value >= 0) {
    const FlatValue& value = program.values[static_cast<size_t>(operand.value)];
    std::vector<std::string> parts;
    for (const int part : value.parts) {
      parts.push_back(nameOf(program, part));
    }
    text = parts.empty() ? nameOf(program, operand.value) : fmt::format("[{}]", fmt::join(parts, ", "));
  }
  return operand.keyword.empty() ? text : operand.keyword + "=" + text;
}

} // namespace

bool FlatProgram::isSame(int left, int right) const {
  const std::vector<int>& parts = values[static_cast<size_t>(left)].parts;
  return left == right || std::any_of(parts.begin(), parts.end(), [&](int part) { return isSame(part, right); });
}

bool FlatProgram::sharesMemory(int left, int right) const {
  const std::vector<int>& parts = values[static_cast<size_t>(left)].parts;
  return values[static_cast<size_t>(left)].memory == values[static_cast<size_t>(right)].memory ||
         std::any_of(parts.begin(), parts.end(), [&](int part) { return sharesMemory(part, right); });
}

bool FlatProgram::argumentsShareMemory() const {
  for (size_t i = 0; i < arguments.size(); ++i) {
    for (size_t before = 0; before < i; ++before) {
      if (arguments[i].value >= 0 && arguments[before].value >= 0 &&
          sharesMemory(arguments[i].value, arguments[before].value)) {
        return true;
      }
    }
  }
  return false;
}

std::string flatText(const FlatProgram& program) {
  std::string text;
  for (const FlatOperation& operation : program.operations) {
    std::vector<std::string> results, operands;
    for (const int result : operation.results) {
      const bool inPlace = !operation.operands.empty() && operation.operands.front().value == result;
      if (!inPlace) {
        results.push_back(nameOf(program, result));
      }
    }
    for (const FlatOperand& operand : operation.operands) {
      operands.push_back(operandText(program, operand));
    }
    for (const std::string& region : operation.regions) {
      text += "with " + region + ": ";
    }
    text += fmt::format("{}{}{}({})\n", fmt::join(results, ", "), results.empty() ? "" : " = ", operation.name,
                        fmt::join(operands, ", "));
  }
  return text;
}

std::set<std::string> requestsOf(const std::vector<CallSpec>& calls) {
  std::set<std::string> asks;
  for (const CallSpec& call : calls) {
    for (const CallRequest& request : requestTable()) {
      if (request.isAskedFor(call, calls.front())) {
        asks.insert(request.name);
      }
    }
  }
  return asks;
}

const std::vector<std::string>& callRequests() {
  static const std::vector<std::string> kNames = [] {
    std::vector<std::string> names;
    for (const CallRequest& request : requestTable()) {
      names.emplace_back(request.name);
    }
    return names;
  }();
  return kNames;
}

} // namespace touchstone::analysis
