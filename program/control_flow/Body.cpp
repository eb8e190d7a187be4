#include "program/control_flow/Body.h"

#include "graph/ir/Unsupported.h"
#include "program/values/GeneratorState.h"
#include "program/values/RaiseError.h"
#include "program/values/RaisedException.h"
#include "program/values/TensorWalk.h"

#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/grad_mode.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <c10/util/ScopeExit.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>
#include <string_view>
#include <utility>

namespace touchstone::control_flow {

values::Value Body::call(const Branch::Runner& runner, const TensorList& tensors) const {
  values::ValueList given;
  for (const size_t leaf : leaves) {
    given.emplace_back(tensors.at(leaf));
  }
  TensorList around;
  for (const size_t each : lifted) {
    around.push_back(tensors.at(each));
  }
  return runner(*transforms::unflatten(given, positional).items(), around);
}

std::string Body::text() const {
  return fmt::format("{}\n{}\n{} {}\n", branch.text, transforms::shortSpecText(positional), fmt::join(leaves, ","),
                     fmt::join(lifted, ","));
}

void refuse(const char* operatorName, const std::string& what) {
  values::raiseError("UncapturedHigherOrderOpError",
                     "This higher order operator doesn't work unless it is captured completely with torch.compile. Got "
                     "graph break/error:\n\n{}: {}",
                     operatorName, what);
}

namespace {

TensorList tensorsIn(const values::Value& returned, bool mayBeNone = false) {
  TensorList tensors;
  for (const values::Value& leaf : transforms::leavesOf(returned)) {
    if (leaf.isNumber() || (mayBeNone && leaf.isNone())) {
      throw ir::Unsupported(
          fmt::format("a function of control flow returns {}", leaf.isNumber() ? "a number" : "None"));
    }
    if (!leaf.isTensor()) {
      refuse("control flow", "a function returned " + leaf.typeName());
    }
    tensors.push_back(leaf.tensor());
  }
  return tensors;
}

} // namespace

values::Value valueOf(const TensorList& tensors, const transforms::TreeSpec& spec) {
  return transforms::unflatten({tensors.begin(), tensors.end()}, spec);
}

TensorList tensorLeaves(const values::Value& value, const char* errorType, const char* error) {
  TensorList tensors;
  for (const values::Value& leaf : transforms::leavesOf(value)) {
    if (!leaf.isTensor()) {
      values::raiseError(errorType, "{}", error);
    }
    tensors.push_back(leaf.tensor());
  }
  return tensors;
}

std::function<TensorList(const TensorList&)> started(const Body& body) {
  return [&body, runner = body.branch.runner(nullptr)](const TensorList& tensors) {
    return tensorsIn(body.call(runner, apart(tensors)));
  };
}

namespace {

void checkMemory(const TensorList& copies, const TensorList& results, const char* operatorName) {
  for (const at::Tensor& copy : copies) {
    if (copy._version() != 0) {
      refuse(operatorName, "a function writes to a tensor that it is given");
    }
  }
  for (size_t i = 0; i < results.size(); ++i) {
    const auto isShared = [&](const at::Tensor& other) { return shareMemory(results[i], other); };
    if (std::ranges::any_of(copies, isShared) ||
        std::any_of(results.begin(), results.begin() + static_cast<std::ptrdiff_t>(i), isShared)) {
      refuse(operatorName, "a function returns memory of a tensor that it is given, or the same memory twice");
    }
  }
}

} // namespace

namespace {

/// Which of some tensors operators get.
struct Uses {
  const TensorList& tensors;
  std::vector<bool>& used;
  std::vector<int>& attributes; // how often one was read of each tensor
  bool haveGradients; // outside of the examination, where autograd takes part

  void note(const at::Tensor& tensor, bool isAttribute = false) const {
    for (size_t i = 0; i < tensors.size(); ++i) {
      if (tensors[i].is_same(tensor)) {
        used[i] = used[i] || !isAttribute;
        attributes[i] += isAttribute ? 1 : 0;
      }
    }
  }
};

const Uses*& examinedUses() {
  thread_local const Uses* uses = nullptr;
  return uses;
}

/// Whether the sizes of what it makes depend on values.
bool hasSizesOfValues(const c10::OperatorHandle& op, const torch::jit::Stack& stack) {
  if (!op.hasTag(at::Tag::dynamic_output_shape)) {
    return false;
  }
  if (op.operator_name().name != "aten::index") {
    return true;
  }
  bool hasMask = false;
  values::forEachTensor(stack.back(), [&](const at::Tensor& index) {
    hasMask = hasMask || (index.defined() && (index.scalar_type() == at::kBool || index.scalar_type() == at::kByte));
  });
  return hasMask;
}

/// Operators of whose formulas for gradients PyTorch takes another way where it traces: rounded otherwise, or of another sign of zero.
bool isTracedOtherwise(const c10::OperatorName& name) {
  constexpr std::string_view kAll[] = {"aten::prod", "aten::rms_norm"};
  constexpr std::string_view kOverAll[] = {"aten::max", "aten::min", "aten::median", "aten::nanmedian"};
  const auto isOneOf = [&](std::span<const std::string_view> names) {
    return std::ranges::find(names, name.name) != names.end();
  };
  return isOneOf(kAll) || (name.overload_name.empty() && isOneOf(kOverAll));
}

/// Attributes of a tensor that are tensors.
bool isAttribute(const std::string& name) {
  constexpr std::string_view kNames[] = {"aten::numpy_T",  "aten::mT",   "aten::mH",
                                         "aten::matrix_H", "aten::real", "aten::imag"};
  return std::ranges::find(kNames, name) != std::end(kNames);
}

/// Throws Unsupported for what torch.compile does otherwise than the evaluator, or not at all.
void checkOperation(const Uses& uses, const char* operatorName, const c10::OperatorHandle& op,
                    const torch::jit::Stack& stack) {
  const std::string& name = op.operator_name().name;
  if (name == "aten::is_nonzero") {
    refuse(operatorName, "what a function does depends on values of a tensor");
  }
  if (name == "aten::item") {
    throw ir::Unsupported(fmt::format("a function of {} reads a value of a tensor", operatorName));
  }
  if (hasSizesOfValues(op, stack)) {
    throw ir::Unsupported(fmt::format("{} in a function of {}: its sizes depend on values", name, operatorName));
  }
  if (uses.haveGradients && isTracedOtherwise(op.operator_name())) {
    throw ir::Unsupported(fmt::format("gradients of {} in a function of {}", name, operatorName));
  }
}

/// An attribute of what a function is given is handed in beside it, and refused as its alias.
void checkAttributes(const Uses& uses, bool isInside, const char* operatorName) {
  for (size_t i = 0; i < uses.tensors.size(); ++i) {
    if (uses.attributes[i] > 1 || (uses.attributes[i] == 1 && (isInside || uses.used[i]))) {
      throw ir::Unsupported(
          fmt::format("a function of {} reads an attribute of a tensor that it is given beside it", operatorName));
    }
    uses.used[i] = uses.used[i] || uses.attributes[i] > 0;
  }
}

/// Throws what torch.compile does where a function is called with arguments that do not fit it, or makes of them what does not fit.
[[noreturn]] void rethrow(const values::RaisedException& error, const char* operatorName) {
  const auto says = [&](const char* text) { return error.message().find(text) != std::string::npos; };
  if (error.type() == "TypeError" &&
      (says("positional argument") || says("keyword argument") || says("not supported between instances of"))) {
    refuse(operatorName, "the arguments do not fit a function");
  }
  throw;
}

} // namespace

bool isExamined() {
  return examinedUses() != nullptr;
}

void noteCustomFunction(const TensorList& tensors) {
  if (!isExamined() || !examinedUses()->haveGradients) {
    return;
  }
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (std::any_of(tensors.begin(), tensors.begin() + static_cast<std::ptrdiff_t>(i),
                    [&](const at::Tensor& other) { return other.is_same(tensors[i]); })) {
      throw ir::Unsupported("a custom function is given the same tensor twice in a function of control flow");
    }
  }
}

void noteUse(const TensorList& tensors) {
  for (const at::Tensor& tensor : tensors) {
    if (examinedUses() != nullptr) {
      examinedUses()->note(tensor);
    }
  }
}

Examination examine(const Body& body, const TensorList& tensors, const char* operatorName) {
  const bool haveGradients = wantsGradients(tensors) || (isExamined() && examinedUses()->haveGradients);
  const c10::AutoGradMode withoutGradients(false);
  const at::AutoDispatchBelowAutograd below; // as regions run: there a view in a kernel is one
  const c10::impl::ExcludeDispatchKeyGuard withoutTrace(c10::DispatchKey::Fake);
  const values::GeneratorStateScope generators;
  TensorList copies;
  for (const at::Tensor& tensor : tensors) {
    at::Tensor copy = isPlain(tensor) ? copyOf(tensor) : zerosFor(tensor);
    copy.unsafeGetTensorImpl()->set_version_counter(c10::VariableVersion(/*version=*/0));
    copies.push_back(std::move(copy));
  }
  Examination examination{.used = std::vector<bool>(tensors.size(), false)};
  std::vector<int> attributes(tensors.size(), 0);
  const Uses uses{copies, examination.used, attributes, haveGradients};
  const bool isInside = isExamined();
  const auto runner = body.branch.runner([&](const c10::OperatorHandle& op, const torch::jit::Stack& stack) {
    checkOperation(uses, operatorName, op, stack);
    for (const c10::IValue& argument : stack) {
      values::forEachTensor(argument,
                            [&](const at::Tensor& tensor) { uses.note(tensor, isAttribute(op.operator_name().name)); });
    }
  });
  const Uses* const outer = std::exchange(examinedUses(), &uses);
  const auto over = c10::make_scope_exit([&] { examinedUses() = outer; });
  values::Value returned;
  try {
    returned = body.call(runner, copies);
  } catch (const values::RaisedException& error) {
    rethrow(error, operatorName);
  }
  checkAttributes(uses, isInside, operatorName);
  examination.spec = transforms::flatten(returned).spec;
  const TensorList results = tensorsIn(returned, /*mayBeNone=*/operatorName == std::string_view("map"));
  checkMemory(copies, results, operatorName);
  for (const at::Tensor& result : results) {
    examination.results.push_back({result.sizes().vec(), result.strides().vec(), result.scalar_type(), result.device(),
                                   result.storage_offset(), result.is_view()});
  }
  return examination;
}

void checkCarried(const TensorList& before, const std::vector<Examination::Result>& after, const char* names) {
  bool isSame = before.size() == after.size();
  for (size_t i = 0; isSame && i < before.size(); ++i) {
    isSame = before[i].sizes() == after[i].sizes && before[i].strides() == after[i].strides &&
             before[i].scalar_type() == after[i].dtype && before[i].device() == after[i].device;
  }
  if (!isSame) {
    values::raiseError("UncapturedHigherOrderOpError", "Expected {} to have same metadata but found:\n", names);
  }
}

void checkSelected(const TensorList& tensors) {
  if (std::ranges::any_of(tensors,
                          [](const at::Tensor& each) { return each.is_complex() && wantsGradients({each}); })) {
    values::raiseError("RuntimeError",
                       "select_copy does not support automatic differentiation for outputs with complex dtype.");
  }
}

bool wantsGradients(const TensorList& arguments) {
  return c10::GradMode::is_enabled() &&
         std::ranges::any_of(arguments, [](const at::Tensor& each) { return each.requires_grad(); });
}

} // namespace touchstone::control_flow
