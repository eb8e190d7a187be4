#include "oracles/taint/DrawReplay.h"

#include "oracles/taint/TaintFlow.h"

namespace touchstone::taint {

Replay replayDraw(const c10::OperatorHandle& op, torch::jit::Stack& stack, const std::vector<at::Tensor>& writes,
                  const std::vector<at::Tensor>& drawn) {
  const size_t first = stack.size() - op.schema().arguments().size();
  const std::string_view name = nameOf(op);
  if (name == "dropout" || name == "dropout_") {
    // The draw is the mask: keep the dependence on the input.
    at::Tensor input = stack[first].toTensor();
    const double probability = stack[first + 1].toDouble();
    if (!stack[first + 2].toBool()) {
      return Replay::kNotNeeded; // nothing is drawn outside training
    }
    if (probability >= 1 || !writes.empty()) {
      return Replay::kImpossible;
    }
    at::Tensor result = input.mul(drawn.front().ne(0).to(input.scalar_type())).div(1 - probability);
    stack.erase(stack.begin() + static_cast<std::ptrdiff_t>(first), stack.end());
    stack.emplace_back(std::move(result));
    return Replay::kDone;
  }
  const auto converted = [](const at::Tensor& tensor) {
    if (tensor.is_complex()) {
      return tensor.to(at::kComplexDouble);
    }
    return tensor.is_floating_point() ? tensor.to(at::kDouble) : tensor;
  };
  if (!writes.empty()) {
    if (writes.size() != drawn.size()) {
      return Replay::kImpossible;
    }
    for (size_t index = 0; index < writes.size(); ++index) {
      at::Tensor target = writes[index];
      target.copy_(drawn[index]);
    }
    stack.erase(stack.begin() + static_cast<std::ptrdiff_t>(first), stack.end());
    for (const at::Tensor& written : writes) {
      stack.emplace_back(written);
    }
    return Replay::kDone;
  }
  // A draw that depends differentiably on its arguments (rrelu, alpha_dropout) cannot stand for itself.
  for (size_t index = first; index < stack.size(); ++index) {
    if (stack[index].isTensor() && stack[index].toTensor().requires_grad() && name != "bernoulli" &&
        name != "multinomial") {
      return Replay::kImpossible;
    }
  }
  stack.erase(stack.begin() + static_cast<std::ptrdiff_t>(first), stack.end());
  for (const at::Tensor& tensor : drawn) {
    stack.emplace_back(converted(tensor));
  }
  return Replay::kDone;
}

} // namespace touchstone::taint
