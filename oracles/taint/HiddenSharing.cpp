#include "oracles/taint/HiddenSharing.h"

#include "oracles/taint/TaintFlow.h"

#include <ATen/core/dispatch/Dispatcher.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace touchstone::taint {

namespace {

// Callbacks of a thread get no argument of their own.
thread_local HiddenSharing* innermostHiddenSharing = nullptr;

/// The tensors that an operator was given, as far as they count: they are there to be looked at when it starts alone.
struct CountedOperands : at::ObserverContext {
  std::vector<at::Tensor> tensors;
};

/// Some result may be an alias of an argument, as far as the schema tells.
bool declaresAliases(const c10::FunctionSchema& schema) {
  return std::any_of(schema.returns().begin(), schema.returns().end(),
                     [](const c10::Argument& result) { return result.alias_info() != nullptr; });
}

bool sharesUnnoticed(const at::Tensor& result, const at::Tensor& operand) {
  return result.has_storage() && !result.is_same(operand) && !result.is_view() &&
         result.storage().unsafeGetStorageImpl() == operand.storage().unsafeGetStorageImpl();
}

} // namespace

HiddenSharing::HiddenSharing(std::function<bool(const at::Tensor& operand)> counts)
    : counts_(std::move(counts)),
      outer_(std::exchange(innermostHiddenSharing, this)),
      handle_(at::addThreadLocalCallback(at::RecordFunctionCallback(&HiddenSharing::atStart, &HiddenSharing::atEnd)
                                             .needsInputs(true)
                                             .needsOutputs(true)
                                             .scopes({at::RecordScope::FUNCTION}))) {}

HiddenSharing::~HiddenSharing() {
  at::removeCallback(handle_);
  innermostHiddenSharing = outer_;
}

std::unique_ptr<at::ObserverContext> HiddenSharing::atStart(const at::RecordFunction& function) {
  HiddenSharing* watcher = innermostHiddenSharing;
  const std::optional<c10::OperatorName> name = function.operator_name();
  if (watcher == nullptr || watcher->seen_ || !name) {
    return nullptr;
  }
  const auto op = c10::Dispatcher::singleton().findSchema(*name);
  if (!op || declaresAliases(op->schema())) {
    return nullptr;
  }
  auto operands = std::make_unique<CountedOperands>();
  for (const c10::IValue& value : function.inputs()) {
    collectTensorsOf(value, operands->tensors);
  }
  std::erase_if(operands->tensors,
                [&](const at::Tensor& each) { return !each.has_storage() || !watcher->counts_(each); });
  return operands->tensors.empty() ? nullptr : std::move(operands);
}

void HiddenSharing::atEnd(const at::RecordFunction& function, at::ObserverContext* context) {
  if (context == nullptr || innermostHiddenSharing == nullptr) {
    return;
  }
  const std::vector<at::Tensor>& operands = static_cast<CountedOperands*>(context)->tensors;
  std::vector<at::Tensor> results;
  for (const c10::IValue& value : function.outputs()) {
    collectTensorsOf(value, results);
  }
  innermostHiddenSharing->seen_ |= std::any_of(results.begin(), results.end(), [&](const at::Tensor& result) {
    return std::any_of(operands.begin(), operands.end(),
                       [&](const at::Tensor& operand) { return sharesUnnoticed(result, operand); });
  });
}

} // namespace touchstone::taint
