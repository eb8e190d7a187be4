#include "backends/fake/OperatorTraits.h"

#include "backends/fake/CudnnBatchNorm.h"
#include "backends/fake/EffectfulOperators.h"
#include "graph/ir/CaseOperators.h"
#include "graph/runtime/Interpreter.h"
#include "program/operators/OperatorFacts.h"
#include "program/values/TensorWalk.h"

#include <ATen/core/enum_tag.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <unordered_map>

namespace touchstone::fake {

namespace {

using c10::OperatorHandle;

struct FunctionalForm {
  const char* writing;
  const char* functional;
};
// Where the name does not tell.
constexpr std::array<FunctionalForm, 2> kFunctionalForms{{
    {"aten::native_batch_norm", "aten::_native_batch_norm_legit_functional"},
    {"aten::cudnn_batch_norm", "touchstone::cudnn_batch_norm_functional"},
}};

std::optional<OperatorHandle> findOperator(const std::string& name, const std::string& overload) {
  return c10::Dispatcher::singleton().findSchema({name, overload});
}

bool writesDeclared(const c10::FunctionSchema& schema) {
  return schema.is_mutable();
}

/// The overload of `name` that writes to nothing and takes the first `count` arguments of `op`.
std::optional<OperatorHandle> overloadTaking(const std::string& name, const OperatorHandle& op, size_t count) {
  const auto& wanted = op.schema().arguments();
  for (const c10::OperatorName& each : c10::Dispatcher::singleton().getRegistrationsForDispatchKey(std::nullopt)) {
    if (each.name != name) {
      continue;
    }
    std::optional<OperatorHandle> candidate = c10::Dispatcher::singleton().findSchema(each);
    if (!candidate || writesDeclared(candidate->schema()) || candidate->schema().arguments().size() != count) {
      continue;
    }
    const auto& arguments = candidate->schema().arguments();
    bool same = true;
    for (size_t i = 0; i < arguments.size(); ++i) {
      same = same && *arguments[i].type() == *wanted[i].type();
    }
    if (same) {
      return candidate;
    }
  }
  return std::nullopt;
}

std::optional<OperatorHandle> functionalForm(const OperatorHandle& op, const OperatorTraits& traits) {
  for (const FunctionalForm& form : kFunctionalForms) {
    if (traits.target == form.writing) {
      return runtime::findOperator(form.functional);
    }
  }
  std::string name = op.schema().name();
  const std::string& overload = op.schema().overload_name();
  if (traits.isOfCase) {
    return findOperator(name + ir::kFunctionalSuffix, overload);
  }
  if (name.back() == '_') {
    name.pop_back();
    for (const std::string& candidate : {name, name + "_functional"}) {
      std::optional<OperatorHandle> found = findOperator(candidate, overload);
      // `polygamma` takes its arguments in another order than `polygamma_`.
      if (found && !writesDeclared(found->schema()) &&
          *found->schema().arguments()[0].type() == *op.schema().arguments()[0].type()) {
        return found;
      }
    }
    return overloadTaking(name, op, op.schema().arguments().size()); // `ldexp.Tensor` of `ldexp_`
  }
  std::optional<OperatorHandle> functional = findOperator(name + "_functional", overload);
  if (functional && !writesDeclared(functional->schema())) {
    return functional;
  }
  return overloadTaking(name, op, op.schema().arguments().size() - traits.writes.size()); // of an `out=` operator
}

OperatorTraits describe(const OperatorHandle& op) {
  OperatorTraits traits;
  traits.target = targetOf(op);
  const c10::FunctionSchema& schema = op.schema();
  for (size_t i = 0; i < schema.arguments().size(); ++i) {
    const c10::AliasInfo* alias = schema.arguments()[i].alias_info();
    if (alias != nullptr && alias->isWrite()) {
      traits.writes.push_back(i);
    }
  }
  if (traits.target == "aten::native_batch_norm" || traits.target == "aten::cudnn_batch_norm") {
    registerFunctionalBatchNorm();
    traits.hidesWrites = true;
    traits.writes = {3, 4}; // running mean and variance
  }
  traits.changesMetadata = op.hasTag(at::Tag::inplace_view);
  traits.readsData = op.hasTag(at::Tag::data_dependent_output) || op.hasTag(at::Tag::dynamic_output_shape);
  traits.isOfCase = ir::isCaseOperator(traits.target);
  traits.isRandom = op.hasTag(at::Tag::nondeterministic_seeded) || traits.isOfCase; // its body may draw
  const std::string& qualified = schema.name();
  const std::string_view name = std::string_view(qualified).substr(qualified.find("::") + 2);
  const auto has = [&](operators::Fact fact) { return operators::has(name, fact); };
  traits.raisesOnData = has(operators::kRaisesOnData) || traits.isOfCase ? RaisesOnData::kAlways
                        : has(operators::kDivides)                       ? RaisesOnData::kForIntegers
                                                                         : RaisesOnData::kNever;
  const std::string effect = effectOf(traits.target);
  for (const EffectfulOperator& effectful : effect.empty() ? std::vector<EffectfulOperator>() : effectfulOperators()) {
    traits.isEffect = true;
    if (effectful.target == effect && effectful.mayRaise) {
      traits.raisesOnData = RaisesOnData::kAlways;
    }
  }
  const auto hasKernel = [&](c10::DispatchKey key) { return op.hasKernelForDispatchKey(key); };
  traits.isComposite = hasKernel(c10::DispatchKey::CompositeImplicitAutograd) && !hasKernel(c10::DispatchKey::CPU) &&
                       !hasKernel(c10::DispatchKey::CompositeExplicitAutograd) &&
                       !hasKernel(c10::DispatchKey::CompositeExplicitAutogradNonFunctional);
  const bool writesList = std::any_of(traits.writes.begin(), traits.writes.end(), [&](size_t position) {
    return schema.arguments()[position].type()->kind() == c10::TypeKind::ListType;
  });
  traits.writesEntryByEntry = writesList && (hasKernel(c10::DispatchKey::CompositeExplicitAutograd) ||
                                             hasKernel(c10::DispatchKey::CompositeExplicitAutogradNonFunctional));
  traits.isWholeOnCuda = traits.isComposite && hasKernel(c10::DispatchKey::CUDA);
  if (!traits.writes.empty() && has(operators::kDtypeOfOut)) {
    traits.dtypeOfOut = schema.argumentIndexWithName("dtype");
  }
  traits.addsUpInDtypeOfOut = !traits.writes.empty() && has(operators::kAddsUpInOut);
  if (!traits.writes.empty()) {
    traits.functional = functionalForm(op, traits);
    if (traits.functional) {
      traits.functionalTarget = targetOf(*traits.functional);
    }
  }
  return traits;
}

} // namespace

std::string targetOf(const OperatorHandle& op) {
  const c10::OperatorName& name = op.operator_name();
  return name.overload_name.empty() ? name.name : name.name + "." + name.overload_name;
}

bool isCompositeCall(const OperatorHandle& op, const torch::jit::Stack& stack) {
  const OperatorTraits& traits = traitsOf(op);
  if (!traits.isWholeOnCuda) {
    return traits.isComposite;
  }
  bool onCuda = false;
  for (size_t i = stack.size() - op.schema().arguments().size(); i < stack.size(); ++i) {
    values::forEachTensor(stack[i],
                          [&](const at::Tensor& tensor) { onCuda = onCuda || (tensor.defined() && tensor.is_cuda()); });
  }
  return !onCuda;
}

const OperatorTraits& traitsOf(const OperatorHandle& op) {
  // The name is part of the dispatcher's entry and stays where it is.
  thread_local std::unordered_map<const c10::OperatorName*, OperatorTraits> known;
  const c10::OperatorName* key = &op.operator_name();
  auto found = known.find(key);
  return found != known.end() ? found->second : known.emplace(key, describe(op)).first->second;
}

const OperatorHandle& operatorOf(const std::string& target) {
  thread_local std::unordered_map<std::string, OperatorHandle> known;
  auto found = known.find(target);
  if (found == known.end()) {
    std::optional<OperatorHandle> handle = runtime::findOperator(target);
    TORCH_CHECK(handle.has_value(), "there is no operator `", target, "`");
    found = known.emplace(target, *handle).first;
  }
  return found->second;
}

} // namespace touchstone::fake
