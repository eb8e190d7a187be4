#include "program/language/Case.h"

#include "base/Words.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <numeric>
#include <stdexcept>
#include <string_view>

namespace touchstone::language {
namespace {

constexpr std::array<std::string_view, 3> kGradModes = {"enable", "no_grad", "inference"};
constexpr std::array<std::string_view, 6> kTangentLayouts = {"like",     "contiguous", "transposed",
                                                             "expanded", "gapped",     "none"};
constexpr std::array<std::string_view, 5> kPhases = {"inputs", "compile", "forward", "between", "backward"};
constexpr std::array<std::string_view, 5> kRoles = {"output", "arg", "watched", "leaf", "tangent"};

template <class Names>
bool contains(const Names& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::optional<int> smallNumber(std::string_view text) {
  int number = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = result.ec == std::errc() && result.ptr == text.data() + text.size();
  return whole && number >= 0 && text[0] != '-' ? std::optional<int>(number) : std::nullopt;
}

// Splits at the first `separator`; the rest is empty when there is none.
std::pair<std::string, std::string> splitAt(const std::string& text, char separator) {
  const size_t at = text.find(separator);
  return at == std::string::npos ? std::pair(text, std::string()) : std::pair(text.substr(0, at), text.substr(at + 1));
}

// `call N` or `call N ROLE I`
void readPosition(const std::string& text, Expectation& expectation) {
  const auto [word, rest] = splitAt(text, ' ');
  const auto [number, where] = splitAt(rest, ' ');
  expectation.call = smallNumber(number);
  if (word != "call" || !expectation.call) {
    throw std::invalid_argument("`" + text + "` is no position; expected `call N` or `call N output I`");
  }
  const auto [role, index] = splitAt(where, ' ');
  if (!where.empty() && (!contains(kRoles, role) || !smallNumber(index))) {
    throw std::invalid_argument("`" + where +
                                "` is no tensor of a call; expected `output I`, `arg I`, `watched I` or "
                                "`leaf I`");
  }
  expectation.where = where;
}

} // namespace

std::string Expectation::text() const {
  std::string text = backend + " " + std::string(outcomeName(outcome));
  if (property) {
    text += "/" + std::string(propertyName(*property));
  }
  if (!detail.empty()) {
    text += "/" + detail;
  }
  if (call) {
    text += "/call " + std::to_string(*call) + (where.empty() ? "" : " " + where);
  }
  return text;
}

Expectation parseExpectation(const std::string& text) {
  Expectation expectation;
  auto [backend, rest] = splitAt(text, ' ');
  auto [name, details] = splitAt(rest, '/');
  const std::optional<Outcome> outcome = outcomeFromName(name);
  if (backend.empty() || !outcome) {
    std::string names;
    for (int index = 0; index < kOutcomeCount; ++index) {
      names += (index ? ", " : "") + std::string(outcomeName(static_cast<Outcome>(index)));
    }
    throw std::invalid_argument("`" + name + "` is no outcome; expected `BACKEND OUTCOME` with one of " + names);
  }
  expectation.backend = backend;
  expectation.outcome = *outcome;
  const bool takesPhase = *outcome == Outcome::kBackendRejected || *outcome == Outcome::kInternalError;
  if (rest.find('/') == std::string::npos) {
    return expectation;
  }
  if (*outcome == Outcome::kDiffers) {
    const auto [property, position] = splitAt(details, '/');
    expectation.property = propertyFromName(property);
    if (!expectation.property) {
      std::string names;
      for (int index = 0; index < kPropertyCount; ++index) {
        names += (index ? ", " : "") + std::string(propertyName(static_cast<Property>(index)));
      }
      throw std::invalid_argument("`" + property + "` is no observed property; expected one of " + names);
    }
    if (details.find('/') != std::string::npos) {
      readPosition(position, expectation);
    }
  } else if (takesPhase && !contains(kPhases, details)) {
    throw std::invalid_argument("`" + details +
                                "` is no stage; expected `compile`, `forward`, `between` or `backward`");
  } else if (takesPhase ||
             (*outcome == Outcome::kLimit && !details.empty() && details.find(' ') == std::string::npos)) {
    expectation.detail = details;
  } else {
    throw std::invalid_argument("nothing can follow `" + name + "`; `/…` goes with Differs, BackendRejected, " +
                                "InternalError and Limit");
  }
  return expectation;
}

std::vector<CallSpec> keptCalls(const std::vector<CallSpec>& calls, const std::vector<size_t>& positions) {
  std::vector<CallSpec> kept;
  std::vector<bool> isDeferred(positions.size());
  for (const size_t position : positions) {
    CallSpec call = calls.at(position);
    std::vector<int> earlier;
    for (const int each : call.backwardAfter) {
      const auto found =
          static_cast<size_t>(std::ranges::find(positions, static_cast<size_t>(each)) - positions.begin());
      if (found < kept.size() && kept[found].backward && !isDeferred[found]) {
        isDeferred[found] = true;
        earlier.push_back(static_cast<int>(found));
      }
    }
    call.backwardAfter = std::move(earlier);
    if (kept.empty()) {
      call.feed.clear();
    }
    if (call.via != GradientVia::kGrad) {
      call.derivatives = 1;
    }
    kept.push_back(std::move(call));
  }
  return kept;
}

std::vector<CallSpec> settledCalls(const std::vector<CallSpec>& calls) {
  std::vector<size_t> all(calls.size());
  std::iota(all.begin(), all.end(), size_t{0});
  return keptCalls(calls, all);
}

size_t Case::backwardRunsAfter(size_t call) const {
  for (size_t later = call + 1; later < calls.size(); ++later) {
    if (std::ranges::find(calls[later].backwardAfter, static_cast<int>(call)) != calls[later].backwardAfter.end()) {
      return later;
    }
  }
  return call;
}

const Function* Case::find(const std::string& name) const {
  for (const Function& function : functions) {
    if (function.name == name) {
      return &function;
    }
  }
  return nullptr;
}

const CustomFunction* Case::findCustomFunction(std::string_view name) const {
  const auto found = std::ranges::find(customFunctions, name, &CustomFunction::name);
  return found == customFunctions.end() ? nullptr : &*found;
}

const CustomOperator* Case::findCustomOperator(std::string_view function) const {
  const auto found = std::ranges::find(customOperators, function,
                                       [](const CustomOperator& each) -> const auto& { return each.body.name; });
  return found == customOperators.end() ? nullptr : &*found;
}

const CustomOperator* Case::operatorCalled(const Expr& callee) const {
  if (customOperators.empty()) {
    return nullptr;
  }
  if (callee.kind == ExprKind::kName) {
    return findCustomOperator(callee.text);
  }
  const auto isPath = [&](const CustomOperator& each, const char* end) {
    return sameExpr(callee, *makeDotted("torch.ops." + each.space + "." + each.name + end));
  };
  const auto found = std::ranges::find_if(customOperators, [&](const CustomOperator& each) {
    return callee.kind == ExprKind::kAttribute && (isPath(each, "") || isPath(each, ".default"));
  });
  return found == customOperators.end() ? nullptr : &*found;
}

const PythonClass* Case::findClass(std::string_view name) const {
  const auto found = std::ranges::find(classes, name, &PythonClass::name);
  return found == classes.end() ? nullptr : &*found;
}

const Constant* Case::findConstant(std::string_view name) const {
  const auto found = std::ranges::find(constants, name, &Constant::name);
  return found == constants.end() ? nullptr : &*found;
}

std::vector<const Function*> Case::allBodies() const {
  std::vector<const Function*> bodies;
  for (const Function& function : functions) {
    bodies.push_back(&function);
  }
  for (const CustomFunction& function : customFunctions) {
    for (const Function& method : function.methods) {
      bodies.push_back(&method);
    }
  }
  for (const CustomOperator& each : customOperators) {
    std::ranges::copy(each.bodies(), std::back_inserter(bodies));
  }
  for (const PythonClass& each : classes) {
    for (const Function& method : each.methods) {
      bodies.push_back(&method);
    }
  }
  return bodies;
}

const Function& Case::program() const {
  const Function* function = find("program");
  if (!function) {
    throw std::out_of_range("The Case has no function `program`.");
  }
  return *function;
}

bool Case::mentions(std::string_view attribute) const {
  return std::ranges::any_of(allBodies(), [&](const Function* function) {
    return anyExpression(function->body,
                         [&](const Expr& expr) { return expr.kind == ExprKind::kAttribute && expr.text == attribute; });
  });
}

std::optional<std::string> Case::header(const std::string& key) const {
  for (const HeaderLine& line : headers) {
    if (line.key == key) {
      return line.value;
    }
  }
  return std::nullopt;
}

void Case::setHeader(const std::string& key, const std::string& value) {
  for (HeaderLine& line : headers) {
    if (line.key == key) {
      line.value = base::oneLine(value);
      return;
    }
  }
  headers.push_back({key, base::oneLine(value)});
}

std::string_view gradModeName(GradMode mode) {
  return kGradModes.at(static_cast<size_t>(mode));
}

std::optional<GradMode> gradModeFromName(std::string_view name) {
  const auto found = std::find(kGradModes.begin(), kGradModes.end(), name);
  return found == kGradModes.end() ? std::nullopt : std::optional(static_cast<GradMode>(found - kGradModes.begin()));
}

std::string_view tangentLayoutName(TangentLayout layout) {
  return kTangentLayouts.at(static_cast<size_t>(layout));
}

std::optional<TangentLayout> tangentLayoutFromName(std::string_view name) {
  const auto found = std::find(kTangentLayouts.begin(), kTangentLayouts.end(), name);
  return found == kTangentLayouts.end() ? std::nullopt
                                        : std::optional(static_cast<TangentLayout>(found - kTangentLayouts.begin()));
}

bool isInputsName(const std::string& function) {
  return function.starts_with("inputs");
}

} // namespace touchstone::language
