#pragma once

#include "program/evaluator/Modules.h"
#include "program/semantics/Precision.h"

namespace touchstone::evaluator {

using namespace semantics;

/// `object.name`, read, written and deleted.
class Attributes {
 public:
  Attributes(Modules& modules, const Limits& limits, const Watchers& watchers, const torch_names::Dispatch& dispatch)
      : modules_(modules), limits_(limits), watchers_(watchers), dispatch_(dispatch) {}

  values::Value get(const values::Value& object, const std::string& name);
  void set(const values::Value& object, const std::string& name, const values::Value& value);
  void remove(const values::Value& object, const std::string& name);

 private:
  values::Value ofTensor(const at::Tensor& tensor, const std::string& name);

  Modules& modules_;
  const Limits& limits_;
  const Watchers& watchers_;
  const torch_names::Dispatch& dispatch_;
};

/// `torch.NAME` that is no function: a dtype, a layout, `inf`.
values::Value torchConstant(const std::string& name, const Precision& precision);

std::string torchDtypeName(at::ScalarType dtype); // `torch.float32`

} // namespace touchstone::evaluator
