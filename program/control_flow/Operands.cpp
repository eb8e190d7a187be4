#include "program/control_flow/Operands.h"

#include <algorithm>
#include <utility>

namespace touchstone::control_flow {

size_t Operands::add(const at::Tensor& tensor) {
  const auto found = std::find_if(tensors_.begin() + static_cast<std::ptrdiff_t>(own_), tensors_.end(),
                                  [&](const at::Tensor& known) { return known.is_same(tensor); });
  const auto index = static_cast<size_t>(found - tensors_.begin());
  if (found == tensors_.end()) {
    tensors_.push_back(tensor);
  }
  return index;
}

Body Operands::body(Branch branch, const values::Value& positional) {
  const transforms::Tree tree = transforms::flatten(positional);
  Body made{.branch = std::move(branch), .positional = tree.spec};
  for (const values::Value& leaf : tree.leaves) {
    made.leaves.push_back(add(leaf.tensor()));
  }
  addAround(made);
  return made;
}

void Operands::addAround(Body& body) {
  for (const at::Tensor& tensor : body.branch.lifted) {
    body.lifted.push_back(add(tensor));
  }
  body.branch.lifted.clear(); // whoever runs it is given them
}

TensorList Operands::given(const std::vector<const Examination*>& examinations, const char* operatorName,
                           Rules rules) const {
  const auto isUsed = [&](size_t i) {
    return i < rules.taken || std::ranges::any_of(examinations, [&](const Examination* each) { return each->used[i]; });
  };
  TensorList given;
  for (size_t i = 0; i < tensors_.size(); ++i) {
    for (size_t j = rules.apart; j < i && isUsed(i); ++j) {
      if (isUsed(j) && shareMemory(tensors_[i], tensors_[j])) {
        refuse(operatorName, "two tensors that the functions are given share memory");
      }
    }
    given.push_back(isUsed(i) ? tensors_[i] : tensors_[i].detach());
  }
  return given;
}

} // namespace touchstone::control_flow
