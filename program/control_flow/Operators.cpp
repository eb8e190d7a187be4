#include "program/control_flow/Operators.h"

#include "graph/ir/CaseOperators.h"
#include "program/control_flow/Body.h"
#include "program/control_flow/RegionNode.h"
#include "program/values/AutocastState.h"

#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/grad_mode.h>
#include <torch/csrc/autograd/VariableTypeUtils.h>
#include <torch/csrc/jit/frontend/function_schema_parser.h>

#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace touchstone::control_flow {
namespace {

using torch::jit::Stack;

std::shared_ptr<const Region> regionOn(const Stack& stack) {
  return regionOf(stack.back().toInt());
}

TensorList argumentsOn(const Stack& stack) {
  return (stack.end() - 2)->toTensorVector();
}

void replaceArguments(Stack& stack, TensorList results) {
  torch::jit::drop(stack, 2);
  stack.emplace_back(std::move(results));
}

class Runs final : public c10::OperatorKernel {
 public:
  void operator()(const c10::OperatorHandle&, c10::DispatchKeySet, Stack* stack) {
    replaceArguments(*stack, regionOn(*stack)->run(argumentsOn(*stack)));
  }
};

class Fakes final : public c10::OperatorKernel {
 public:
  void operator()(const c10::OperatorHandle&, c10::DispatchKeySet, Stack* stack) {
    replaceArguments(*stack, regionOn(*stack)->fake(argumentsOn(*stack)));
  }
};

class UnderAutograd final : public c10::OperatorKernel {
 public:
  void operator()(const c10::OperatorHandle& op, c10::DispatchKeySet keys, Stack* stack) {
    const TensorList arguments = argumentsOn(*stack);
    const std::shared_ptr<const Region> region = regionOn(*stack);
    const bool isWanted = wantsGradients(arguments);
    {
      const c10::AutoGradMode noGradients(c10::GradMode::is_enabled() && !isWanted);
      const at::AutoDispatchBelowAutograd below;
      op.redispatchBoxed(keys & c10::after_autograd_keyset, stack);
    }
    if (isWanted) {
      stack->back() = withHistory(region, arguments, asViews(*region, stack->back().toTensorVector()));
    }
  }

 private:
  /// What is traced comes without the tensors behind it.
  static TensorList asViews(const Region& region, TensorList results) {
    for (size_t i = 0; i < results.size(); ++i) {
      if (region.makesView(i) && !results[i].is_view()) {
        const at::Tensor base = results[i];
        const at::Tensor copy(base.unsafeGetTensorImpl()->shallow_copy_and_detach(
            torch::autograd::impl::version_counter(base), /*allow_tensor_metadata_change=*/true));
        results[i] = torch::autograd::as_view(base, copy, /*is_bw_differentiable=*/true, /*is_fw_differentiable=*/true);
      }
    }
    return results;
  }
};

/// Autocast as it was where it is called first: a Graph calls it elsewhere, and its backward comes later.
class WithAutocastState final : public Region {
 public:
  WithAutocastState(std::shared_ptr<const Region> region, const values::AutocastState& autocast)
      : region_(std::move(region)), autocast_(autocast) {}

  std::string name() const override { return region_->name(); }
  std::string text() const override { return region_->text() + "\nautocast " + autocast_.text(); }
  TensorList run(const TensorList& arguments) const override {
    const values::AutocastScope scope(autocast_);
    return region_->run(arguments);
  }
  TensorList fake(const TensorList& arguments) const override {
    const values::AutocastScope scope(autocast_);
    return region_->fake(arguments);
  }
  std::string nodeName() const override { return region_->nodeName(); }
  std::shared_ptr<const Region> backward(const std::vector<bool>& wanted) const override {
    std::shared_ptr<const Region> backward = region_->backward(wanted);
    return backward != nullptr
               ? std::make_shared<const WithAutocastState>(std::move(backward), autocast_.withoutCache())
               : nullptr;
  }
  bool isDifferentiableAgain() const override { return region_->isDifferentiableAgain(); }
  bool savesArguments() const override { return region_->savesArguments(); }
  bool makesView(size_t result) const override { return region_->makesView(result); }
  size_t keptArguments() const override { return region_->keptArguments(); }

 private:
  const std::shared_ptr<const Region> region_;
  const values::AutocastState autocast_;
};

template <class Kernel>
c10::KernelFunction kernelOf() {
  return c10::KernelFunction::makeFromBoxedFunctor(std::make_unique<Kernel>());
}

c10::OperatorHandle registered(const std::string& name, std::vector<c10::RegistrationHandleRAII>& handles) {
  c10::Dispatcher& dispatcher = c10::Dispatcher::singleton();
  c10::FunctionSchema schema = torch::jit::parseSchema(std::string("touchstone") + std::string(ir::kCaseMark) +
                                                       "::" + name + "(Tensor[] arguments, int region) -> Tensor[]");
  schema.setAliasAnalysis(c10::AliasAnalysisKind::CONSERVATIVE);
  const c10::OperatorName whole = schema.operator_name();
  const char* who = "control flow of a Case";
  handles.push_back(dispatcher.registerDef(std::move(schema), who));
  const auto implement = [&](c10::DispatchKey key, c10::KernelFunction kernel) {
    handles.push_back(dispatcher.registerImpl(whole, key, std::move(kernel), std::nullopt, nullptr, who));
  };
  implement(c10::DispatchKey::CompositeExplicitAutograd, kernelOf<Runs>());
  implement(c10::DispatchKey::Meta, kernelOf<Fakes>());
  implement(c10::DispatchKey::Autograd, kernelOf<UnderAutograd>());
  return dispatcher.findSchemaOrThrow(whole.name.c_str(), "");
}

Stack stackFor(const std::shared_ptr<const Region>& region, const TensorList& arguments) {
  Stack stack;
  stack.emplace_back(arguments);
  stack.emplace_back(numberOf(region));
  return stack;
}

} // namespace

c10::OperatorHandle operatorOf(const Region& region) {
  static std::mutex mutex;
  static auto* const handles = new std::vector<c10::RegistrationHandleRAII>; // never taken back
  static auto* const operators = new std::map<std::string, c10::OperatorHandle>;
  const std::lock_guard lock(mutex);
  const std::string name = region.name();
  auto found = operators->find(name);
  if (found == operators->end()) {
    found = operators->emplace(name, registered(name, *handles)).first;
  }
  return found->second;
}

Stack stackOf(const std::shared_ptr<const Region>& region, const TensorList& arguments) {
  return stackFor(std::make_shared<const WithAutocastState>(region, values::AutocastState()), arguments);
}

TensorList resultsOf(const Stack& stack) {
  return stack.back().toTensorVector();
}

TensorList call(const std::shared_ptr<const Region>& region, const TensorList& arguments) {
  Stack stack = stackFor(region, arguments);
  operatorOf(*region).callBoxed(&stack);
  return resultsOf(stack);
}

} // namespace touchstone::control_flow
