#include "backends/capture/ModuleSteps.h"

#include <map>
#include <mutex>

namespace touchstone::capture {

using language::ExprKind;
using language::ExprPtr;
using values::Value;

namespace {

constexpr const char* kModule = "module";

const Value* hyperOf(const values::ModuleObject& module, const std::string& name) {
  for (const auto& [key, value] : module.hyper) {
    if (key == name) {
      return &value;
    }
  }
  return nullptr;
}

bool isTrue(const Value* value) {
  return value != nullptr && value->is<bool>() && value->as<bool>();
}

/// A batch norm that averages over all its batches alike: it reads how many there were.
bool readsItsCount(const values::ModuleObject& module, const values::ValueList& positional) {
  static const std::map<std::string, std::set<int64_t>> kDimensions = {
      {"BatchNorm1d", {2, 3}}, {"BatchNorm2d", {4}}, {"BatchNorm3d", {5}}};
  const auto dimensions = kDimensions.find(module.typeName);
  if (dimensions == kDimensions.end() || positional.size() != 1 || !positional.front().isTensor() ||
      !dimensions->second.contains(positional.front().tensor().dim())) {
    return false;
  }
  const Value* momentum = hyperOf(module, "momentum");
  const auto count = std::find_if(module.fields.begin(), module.fields.end(),
                                  [](const auto& field) { return field.name == "num_batches_tracked"; });
  return module.training && isTrue(hyperOf(module, "track_running_stats")) && momentum != nullptr &&
         momentum->isNone() && count != module.fields.end() && count->value.isTensor();
}

ExprPtr ofModule(const char* name) {
  return language::makeAttribute(language::makeName(kModule), name);
}

/// torch/nn/modules/batchnorm.py, _BatchNorm.forward
language::Function averagingBatchNorm() {
  const ExprPtr count = ofModule("num_batches_tracked");
  language::Function function{"forward", {kModule, "input"}, {}, {}};
  function.body = {
      language::makeExpressionStatement(language::makeMethodCall(count, "add_", {language::makeInt(1)})),
      language::makeAssign(
          {language::makeName("factor")},
          language::makeBinary("/", language::makeFloat(1), language::makeCall(language::makeName("float"), {count}))),
      language::makeReturn(language::makeCall(
          language::makeDotted("torch.nn.functional.batch_norm"),
          {language::makeName("input"), ofModule("running_mean"), ofModule("running_var"), ofModule("weight"),
           ofModule("bias"), language::makeBool(true), language::makeName("factor"), ofModule("eps")}))};
  return function;
}

/// `return module.forward(a0, …)`
language::Function wholeForward(size_t arguments) {
  language::Function function{"forward", {kModule}, {}, {}};
  std::vector<ExprPtr> given;
  for (size_t i = 0; i < arguments; ++i) {
    function.parameters.push_back("input_" + std::to_string(i));
    given.push_back(language::makeName(function.parameters.back()));
  }
  function.body = {
      language::makeReturn(language::makeMethodCall(language::makeName(kModule), "forward", std::move(given)))};
  return function;
}

} // namespace

std::optional<ModuleStep> moduleCalledAt(const Step& step, evaluator::Evaluator& evaluator,
                                         evaluator::Environment& environment) {
  const bool isStatement = step.kind == StepKind::kRun && step.statement->value != nullptr &&
                           (step.statement->kind == language::StatementKind::kExpression ||
                            step.statement->kind == language::StatementKind::kAssign);
  if (!isStatement || step.statement->value->kind != ExprKind::kCall || !step.statement->value->keywords.empty()) {
    return std::nullopt;
  }
  const std::vector<ExprPtr>& parts = step.statement->value->children;
  const bool isOfName =
      parts.front()->kind == ExprKind::kAttribute && parts.front()->children[0]->kind == ExprKind::kName;
  const language::Expr& root = isOfName ? *parts.front()->children[0] : *parts.front();
  const Value* object = root.kind == ExprKind::kName ? environment.find(root.text) : nullptr;
  const auto* module = object == nullptr ? nullptr : object->maybe<values::ModulePtr>();
  if (module != nullptr && isOfName) {
    const auto* field = (*module)->find(parts.front()->text);
    module = field == nullptr ? nullptr : field->value.maybe<values::ModulePtr>();
  }
  if (module == nullptr) {
    return std::nullopt;
  }
  ModuleStep call{*module, {}};
  for (size_t i = 1; i < parts.size(); ++i) {
    if (parts[i]->kind == ExprKind::kStarred) {
      return std::nullopt;
    }
    call.positional.push_back(evaluator.evaluate(*parts[i], environment));
  }
  if (!(*module)->hasHooks() && !readsItsCount(**module, call.positional)) {
    return std::nullopt;
  }
  return call;
}

const language::Function& forwardOf(const values::ModuleObject& module, const values::ValueList& positional) {
  static const language::Function averaging = averagingBatchNorm();
  if (readsItsCount(module, positional)) {
    return averaging;
  }
  static std::mutex mutex;
  static std::map<size_t, language::Function> whole; // code is kept by the address of its statements
  const std::lock_guard<std::mutex> lock(mutex);
  const auto [entry, fresh] = whole.try_emplace(positional.size());
  if (fresh) {
    entry->second = wholeForward(positional.size());
  }
  return entry->second;
}

} // namespace touchstone::capture
