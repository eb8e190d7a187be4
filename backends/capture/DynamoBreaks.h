#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>

#include <functional>
#include <utility>
#include <vector>

namespace touchstone::capture {

/// Where torch._dynamo breaks a Graph that could hold a call (torch/_dynamo/variables/tensor.py, torch.py and builder.py): told
/// of each operator of a Program, throws GraphBreak.
class DynamoBreaks {
 public:
  using IsInput = std::function<bool(const at::Tensor&)>;
  explicit DynamoBreaks(IsInput isInput) : isInput_(std::move(isInput)) {}

  /// Operators from now on belong to another statement.
  void beginStatement() { made_ = at::Tensor(); }
  /// `stack` holds the arguments.
  void before(const c10::OperatorHandle& op, const torch::jit::Stack& stack);
  /// `stack` holds the results.
  void after(const c10::OperatorHandle& op, const torch::jit::Stack& stack);

 private:
  void notSwitched(const at::Tensor& tensor, bool wanted) const;
  void noteWritten(const c10::FunctionSchema& schema, const torch::jit::Stack& stack);

  struct Written {
    at::Tensor tensor; // an `out=`
    std::vector<int64_t> sizes;
  };
  IsInput isInput_;
  at::Tensor made_; // by the last operator, of this statement
  std::vector<Written> written_;
};

} // namespace touchstone::capture
