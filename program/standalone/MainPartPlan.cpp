#include "program/standalone/MainPartPlan.h"

#include <algorithm>
#include <charconv>
#include <sstream>

namespace touchstone::standalone {
namespace {

// The first expectation that a reader without Touchstone can check; an Agreed one has nothing to show.
const language::Expectation* shownExpectation(const language::Case& theCase) {
  for (const language::Expectation& expectation : theCase.expectations) {
    if (expectation.outcome != language::Outcome::kAgreed && expectation.backend.starts_with(kTorchFamily)) {
      return &expectation;
    }
  }
  return nullptr;
}

MainPartPlan::Check checkOf(language::Outcome outcome) {
  switch (outcome) {
    case language::Outcome::kCrashed:
    case language::Outcome::kTimedOut:
    case language::Outcome::kOutOfMemory: return MainPartPlan::Check::kSurvives;
    case language::Outcome::kInternalError: return MainPartPlan::Check::kInternalError;
    case language::Outcome::kBackendRejected:
    case language::Outcome::kLimit: return MainPartPlan::Check::kRaises;
    case language::Outcome::kBackendAccepts: return MainPartPlan::Check::kAccepts;
    default: return MainPartPlan::Check::kProperties;
  }
}

std::set<language::Property> propertiesOf(const language::Expectation* expectation) {
  if (expectation && expectation->property) {
    return {*expectation->property};
  }
  if (expectation && expectation->outcome == language::Outcome::kNoneBecameZero) {
    return {language::Property::kGradientPresence};
  }
  std::set<language::Property> all;
  for (int index = 0; index < language::kPropertyCount; ++index) {
    all.insert(static_cast<language::Property>(index));
  }
  all.erase(language::Property::kRecompiles); // to compile again is no difference by itself
  return all;
}

// `torch.nn.Module`, `torch.nn.Linear` and the like, but not `torch.nn.functional`.
bool isModule(const language::Expr& expr) {
  return expr.kind == language::ExprKind::kAttribute && expr.text != "functional" &&
         expr.children[0]->kind == language::ExprKind::kAttribute && expr.children[0]->text == "nn";
}

void noteCall(const language::CallSpec& call, MainPartPlan& plan) {
  plan.reset |= call.reset;
  plan.reuse |= !call.inputs;
  plan.gradMode |= call.gradMode != language::GradMode::kEnable;
  plan.autocast |= call.autocast.has_value();
  plan.between |= call.between.has_value();
  plan.compiledAutograd |= call.compiledAutograd && call.backward;
  plan.deferred |= call.backwardAfter.has_value();
  if (!call.backward) {
    return;
  }
  plan.backward = true;
  plan.times |= call.backwardTimes != 1;
  plan.createGraph |= call.createGraph;
  plan.wrt |= call.wrt.has_value();
  plan.argumentRoots |= std::any_of(call.backward->begin(), call.backward->end(),
                                    [](const language::BackwardRoot& root) { return root.isArgument; });
  (call.via == language::GradientVia::kGrad ? plan.viaGrad : plan.viaBackward) = true;
  if (std::find(plan.layouts.begin(), plan.layouts.end(), call.tangentLayout) == plan.layouts.end()) {
    plan.layouts.push_back(call.tangentLayout);
  }
}

// How many calls it takes to see what is to be seen of the target.
int callsToMake(const language::Case& theCase, const MainPartPlan& plan) {
  const int all = static_cast<int>(theCase.calls.size());
  if (!plan.call || plan.lateLook) {
    return all;
  }
  int last = std::min(*plan.call, all - 1);
  for (int index = last + 1; index < all; ++index) {
    if (theCase.calls[static_cast<size_t>(index)].backwardAfter == plan.call) {
      last = index;
    }
  }
  return last + 1;
}

bool isNumber(const std::string& text) {
  double value = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  return !text.empty() && result.ec == std::errc() && result.ptr == text.data() + text.size() && value >= 0;
}

std::vector<std::string> itemsOf(const language::Case& theCase, const char* key, char separator) {
  std::vector<std::string> items;
  std::istringstream text(theCase.header(key).value_or(""));
  for (std::string item; std::getline(text, item, separator);) {
    if (!item.empty()) {
      items.push_back(std::move(item));
    }
  }
  return items;
}

} // namespace

MainPartPlan planMainPart(const language::Case& theCase) {
  MainPartPlan plan;
  const language::Expectation* expectation = shownExpectation(theCase);
  if (expectation) {
    plan.check = checkOf(expectation->outcome);
    plan.call = expectation->call;
    plan.where = expectation->where;
    plan.backend = expectation->backend.substr(kTorchFamily.size());
  }
  if (plan.check == MainPartPlan::Check::kProperties) {
    plan.properties = propertiesOf(expectation);
  }
  if (plan.call && *plan.call >= static_cast<int>(theCase.calls.size())) {
    plan.call.reset(); // of a Case that was cut: all calls
  }
  plan.lateLook = plan.checks(language::Property::kValues) &&
                  (plan.call ? *plan.call + 1 < static_cast<int>(theCase.calls.size()) : theCase.calls.size() > 1);
  plan.calls = callsToMake(theCase, plan);
  const std::string bound = theCase.header("bound").value_or("");
  plan.bound = isNumber(bound) ? bound : "";
  plan.imports = itemsOf(theCase, language::kImportsHeader, ',');
  plan.pythonPath = itemsOf(theCase, language::kPythonPathHeader, ':');
  for (int index = 0; index < plan.calls; ++index) {
    noteCall(theCase.calls[static_cast<size_t>(index)], plan);
  }
  for (const language::Function& function : theCase.functions) {
    plan.modules |= language::anyExpression(function.body, isModule);
    plan.randomInputs |= language::isInputsName(function.name) && language::anyExpression(function.body, isModule);
  }
  return plan;
}

} // namespace touchstone::standalone
