#include "backends/capture/DynamoBreaks.h"

#include "backends/capture/GraphBreak.h"

#include <ATen/core/enum_tag.h>
#include <ATen/core/function_schema.h>

#include <set>
#include <string>

namespace touchstone::capture {

namespace {

/// What gives no tensor, and what Dynamo does not answer itself.
bool givesNoTensor(const std::string& name) {
  static const std::set<std::string> kNames{"aten::storage_offset", "aten::is_signed",    "aten::is_conj",
                                            "aten::is_neg",         "aten::is_inference", "aten::is_same_size",
                                            "aten::result_type",    "aten::can_cast",     "aten::is_set_to",
                                            "aten::dense_dim",      "aten::sparse_dim"};
  return kNames.contains(name);
}

/// Methods that Dynamo never traces.
bool isNeverTraced(const c10::OperatorName& name) {
  static const std::set<std::string> kNames{"aten::random_", "aten::resize_", "aten::resize_as_", "aten::retain_grad"};
  return kNames.contains(name.name) || (name.name == "aten::set_" && name.overload_name != "source_Tensor");
}

} // namespace

void DynamoBreaks::notSwitched(const at::Tensor& tensor, bool wanted) const {
  if (tensor.requires_grad() == wanted) {
    return;
  }
  if (isInput_(tensor)) {
    throw GraphBreak("an argument comes to require grad, or no longer does");
  }
  if (made_.defined() && made_.is_same(tensor)) {
    throw GraphBreak("a tensor is made with `requires_grad=True`");
  }
}

void DynamoBreaks::noteWritten(const c10::FunctionSchema& schema, const torch::jit::Stack& stack) {
  written_.clear();
  const size_t base = stack.size() - schema.arguments().size();
  for (size_t i = 0; i < schema.arguments().size(); ++i) {
    if (schema.arguments()[i].is_out() && stack[base + i].isTensor()) {
      const at::Tensor& tensor = stack[base + i].toTensor();
      written_.push_back({tensor, tensor.sizes().vec()});
    }
  }
}

void DynamoBreaks::before(const c10::OperatorHandle& op, const torch::jit::Stack& stack) {
  const c10::FunctionSchema& schema = op.schema();
  const size_t base = stack.size() - schema.arguments().size();
  if (isNeverTraced(op.operator_name()) || givesNoTensor(schema.name())) {
    throw GraphBreak("`" + schema.name() + "`, which torch._dynamo does not trace");
  }
  if (schema.name() == "aten::requires_grad_") {
    notSwitched(stack[base].toTensor(), stack[base + 1].toBool());
  }
  // Case files call `set_` as an operator of torch.ops: of these Dynamo asks nothing.
  const bool isMethod = schema.name() != "aten::set_";
  if (isMethod && op.hasTag(at::Tag::inplace_view) && stack[base].isTensor() && isInput_(stack[base].toTensor())) {
    throw GraphBreak("`" + schema.name() + "` of an argument");
  }
  noteWritten(schema, stack);
}

void DynamoBreaks::after(const c10::OperatorHandle& op, const torch::jit::Stack& stack) {
  for (const Written& written : written_) {
    if (written.tensor.sizes() != at::IntArrayRef(written.sizes)) {
      throw GraphBreak("`out=` gets other sizes");
    }
    if (!written.tensor.is_contiguous()) {
      throw GraphBreak("`out=` with gaps");
    }
  }
  const bool makesOne = op.schema().returns().size() == 1 && stack.back().isTensor();
  made_ = makesOne ? stack.back().toTensor() : at::Tensor();
}

} // namespace touchstone::capture
