#include "graph/ir/Unsupported.h"
#include "program/control_flow/ControlFlow.h"
#include "program/control_flow/Joint.h"
#include "program/control_flow/Operands.h"
#include "program/semantics/Arguments.h"
#include "program/values/RaiseError.h"

#include <ATen/ExpandUtils.h>
#include <ATen/ops/stack.h>
#include <fmt/ranges.h>

#include <memory>
#include <utility>

namespace touchstone::control_flow {
namespace {

/// A function of one slice and of what stays the same.
struct MapBody {
  Body body;
  size_t sliced;

  std::string text() const { return fmt::format("{}{}", body.text(), sliced); }
};

/// What each step made, along a new first dimension.
TensorList stacked(const std::vector<TensorList>& steps) {
  TensorList stacks;
  for (size_t i = 0; i < steps.front().size(); ++i) {
    TensorList slices;
    for (const TensorList& step : steps) {
      slices.push_back(step[i]);
    }
    stacks.push_back(at::stack(slices));
  }
  return stacks;
}

class MapBackward final : public Region {
 public:
  MapBackward(std::shared_ptr<const MapBody> body, std::vector<bool> wanted)
      : body_(std::move(body)), wanted_(std::move(wanted)) {}

  std::string name() const override { return "map_backward"; }
  std::string text() const override { return fmt::format("{} {}", body_->text(), fmt::join(wanted_, "")); }

  TensorList run(const TensorList& arguments) const override {
    const TensorList sliced = slice(arguments, 0, body_->sliced);
    const TensorList same = slice(arguments, body_->sliced, wanted_.size() - body_->sliced);
    const TensorList tangents = slice(arguments, wanted_.size(), arguments.size() - wanted_.size());
    const TensorFunction step = started(body_->body);
    std::vector<TensorList> steps;
    for (int64_t i = 0; i < sliced.front().size(0); ++i) {
      steps.push_back(gradientsOf(step, joined({selected(sliced, i), same}), wanted_, selected(tangents, i)));
    }
    TensorList gradients = stacked(steps);
    size_t next = 0;
    for (size_t i = 0; i < wanted_.size(); ++i) {
      if (wanted_[i] && i >= body_->sliced) { // as autograd does with a gradient that has been expanded
        gradients[next] = at::sum_to(gradients[next], arguments[i].sizes());
      }
      next += wanted_[i] ? 1 : 0;
    }
    return gradients;
  }
  std::shared_ptr<const Region> backward(const std::vector<bool>&) const override { return nullptr; }

 private:
  const std::shared_ptr<const MapBody> body_;
  const std::vector<bool> wanted_; // by argument
};

/// After `torch/_higher_order_ops/map.py`.
class Map final : public Region {
 public:
  explicit Map(MapBody body) : body_(std::make_shared<const MapBody>(std::move(body))) {}

  std::string name() const override { return "map"; }
  std::string text() const override { return body_->text(); }
  std::string nodeName() const override { return "MapAutogradOpBackward"; }

  TensorList run(const TensorList& arguments) const override {
    const TensorList sliced = slice(arguments, 0, body_->sliced);
    const TensorList same = slice(arguments, body_->sliced, arguments.size() - body_->sliced);
    const TensorFunction step = started(body_->body);
    std::vector<TensorList> steps;
    for (int64_t i = 0; i < sliced.front().size(0); ++i) {
      steps.push_back(step(joined({selected(sliced, i), same})));
    }
    return stacked(steps);
  }
  std::shared_ptr<const Region> backward(const std::vector<bool>& wanted) const override {
    return std::make_shared<MapBackward>(body_, wanted);
  }
  bool isDifferentiableAgain() const override { return true; }
  bool makesView(size_t) const override { return true; } // as at::stack() does

 private:
  const std::shared_ptr<const MapBody> body_;
};

void checkSlices(const TensorList& tensors) {
  for (const at::Tensor& each : tensors) {
    if (each.dim() == 0) {
      values::raiseError("IndexError", "tuple index out of range");
    }
    if (tensors.front().size(0) == 0) {
      values::raiseError("RuntimeError", "Leading dimensions of mapped xs cannot be 0.");
    }
    if (each.size(0) != tensors.front().size(0)) {
      values::raiseError("RuntimeError", "Leading dimensions of mapped xs must be consistent.");
    }
  }
}

} // namespace

values::Value map(const Host& host, const values::ValueList& positional, const Keywords& keywords) {
  if (positional.size() < 2 || !keywords.empty()) {
    throw ir::Unsupported("torch._higher_order_ops.map with keywords");
  }
  const TensorList over = tensorLeaves(positional[1], "RuntimeError", "Mapped xs can only consist of tensors.");
  if (over.empty()) {
    values::raiseError("IndexError", "list index out of range");
  }
  checkSlices(over);
  checkSelected(over);
  Operands operands;
  const values::ValueList taken(positional.begin() + 1, positional.end());
  const transforms::Tree tree = transforms::flatten(values::Value::tuple(taken));
  Body body{.branch = host.branch(positional[0]), .positional = tree.spec};
  for (const values::Value& leaf : tree.leaves) {
    if (!leaf.isTensor()) {
      throw ir::Unsupported("torch._higher_order_ops.map is given a " + leaf.typeName());
    }
    body.leaves.push_back(operands.addOwn(leaf.tensor()));
  }
  const size_t own = body.leaves.size();
  operands.addAround(body);
  const TensorList& all = operands.tensors();
  const TensorList same = slice(all, over.size(), all.size() - over.size());
  const Examination step = examine(body, joined({firstCopies(over), same}), "map");
  const TensorList arguments = operands.given({&step}, "map", {.taken = own});
  return valueOf(host.dispatch(std::make_shared<Map>(MapBody{std::move(body), over.size()}), arguments), step.spec);
}

} // namespace touchstone::control_flow
