#include "program/control_flow/Body.h"

#include "graph/ir/Unsupported.h"
#include "program/values/GeneratorState.h"
#include "program/values/RaiseError.h"
#include "program/values/TensorWalk.h"

#include <ATen/core/grad_mode.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <c10/util/ScopeExit.h>
#include <fmt/ranges.h>

#include <algorithm>
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

TensorList tensorsIn(const values::Value& returned) {
  TensorList tensors;
  for (const values::Value& leaf : transforms::leavesOf(returned)) {
    if (leaf.isNumber()) {
      throw ir::Unsupported("a function of control flow returns a number");
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
    return tensorsIn(body.call(runner, tensors));
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

  void note(const at::Tensor& tensor) const {
    for (size_t i = 0; i < tensors.size(); ++i) {
      if (tensors[i].is_same(tensor)) {
        used[i] = true;
      }
    }
  }
};

const Uses*& examinedUses() {
  thread_local const Uses* uses = nullptr;
  return uses;
}

} // namespace

void noteUse(const TensorList& tensors) {
  for (const at::Tensor& tensor : tensors) {
    if (examinedUses() != nullptr) {
      examinedUses()->note(tensor);
    }
  }
}

Examination examine(const Body& body, const TensorList& tensors, const char* operatorName) {
  const c10::AutoGradMode withoutGradients(false);
  const c10::impl::ExcludeDispatchKeyGuard withoutTrace(c10::DispatchKey::Fake);
  const values::GeneratorStateScope generators;
  TensorList copies;
  for (const at::Tensor& tensor : tensors) {
    at::Tensor copy = isPlain(tensor) ? copyOf(tensor) : zerosFor(tensor);
    copy.unsafeGetTensorImpl()->set_version_counter(c10::VariableVersion(/*version=*/0));
    copies.push_back(std::move(copy));
  }
  Examination examination{.used = std::vector<bool>(tensors.size(), false)};
  const Uses uses{copies, examination.used};
  const auto runner = body.branch.runner([&](const c10::OperatorHandle& op, const torch::jit::Stack& stack) {
    if (op.operator_name().name == "aten::is_nonzero") {
      refuse(operatorName, "what a function does depends on values of a tensor");
    }
    for (const c10::IValue& argument : stack) {
      values::forEachTensor(argument, [&](const at::Tensor& tensor) { uses.note(tensor); });
    }
  });
  const Uses* const outer = std::exchange(examinedUses(), &uses);
  const auto over = c10::make_scope_exit([&] { examinedUses() = outer; });
  const values::Value returned = body.call(runner, copies);
  examination.spec = transforms::flatten(returned).spec;
  const TensorList results = tensorsIn(returned);
  checkMemory(copies, results, operatorName);
  for (const at::Tensor& result : results) {
    examination.results.push_back(
        {result.sizes().vec(), result.strides().vec(), result.scalar_type(), result.device(), result.storage_offset()});
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

bool wantsGradients(const TensorList& arguments) {
  return c10::GradMode::is_enabled() &&
         std::ranges::any_of(arguments, [](const at::Tensor& each) { return each.requires_grad(); });
}

} // namespace touchstone::control_flow
