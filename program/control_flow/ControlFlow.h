#pragma once

#include "program/control_flow/Body.h"
#include "program/control_flow/Region.h"
#include "program/torch_names/NameResolver.h"

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Structured control flow on tensors, `torch.cond` and what `torch._higher_order_ops` has besides: a call of it is one operator of
/// libtorch's dispatcher (Operators.h), which runs functions of the Program as often as values say.

namespace touchstone::control_flow {

/// What control flow asks of the evaluation that it is part of.
struct Host {
  std::function<Branch(const values::Value& function)> branch; // throws Unsupported for what is no function of the file
  std::function<values::Value(const values::Value& function, values::ValueList positional)> callNow;
  std::function<TensorList(const std::shared_ptr<const Region>& region, const TensorList& arguments)> dispatch;
  bool isCaptured = false; // into Graphs
  std::function<void(const char* what)> cannotCapture;
  torch_names::Dispatch operators; // how it calls others
  std::function<values::Value(const values::Value& function)> vmapped; // over the first dimension
};

using Keywords = values::FunctionObject::Keywords;

/// Whether a path below `torch` is that of a function here: `cond`, `_higher_order_ops.scan`. Its last name tells at a glance of most
/// that they are none.
bool isControlFlow(const std::string& path);
bool mayBeControlFlow(std::string_view lastName);
values::Value call(const std::string& path, const Host& host, const values::ValueList& positional,
                   const Keywords& keywords);

values::Value cond(const Host& host, const values::ValueList& positional, const Keywords& keywords);
values::Value whileLoop(const Host& host, const values::ValueList& positional, const Keywords& keywords);
values::Value scan(const Host& host, const values::ValueList& positional, const Keywords& keywords);
values::Value associativeScan(const Host& host, const values::ValueList& positional, const Keywords& keywords);
values::Value map(const Host& host, const values::ValueList& positional, const Keywords& keywords);

} // namespace touchstone::control_flow
