#include "graph/program/RunnableCode.h"

#include "graph/ir/ArgumentText.h"
#include "graph/ir/Geometry.h"
#include "graph/program/GraphCode.h"
#include "graph/program/Interpreter.h"

#include <ATen/ops/as_strided.h>

#include <algorithm>
#include <exception>

namespace touchstone::graph {

namespace {

constexpr const char* kStandIns = R"(

class Missing:
    """What the text of a Graph cannot hold."""

    def __init__(self, what):
        self.what = what

    def __getitem__(self, name):
        raise NotImplementedError(f"{self.what} {name!r} is not in this file: a Graph has no text for it")


callables = Missing("the callable")
constants = Missing("the constant")


)";

/// The elements of the dimensions from `dimension` on, as nested lists.
std::string listsText(const at::Tensor& tensor) {
  if (tensor.dim() == 0) {
    return elementText(tensor);
  }
  std::string text = "[";
  for (int64_t i = 0; i < tensor.size(0); ++i) {
    text += (i > 0 ? ", " : "") + listsText(tensor.select(0, i));
  }
  return text + "]";
}

std::string numbersText(const std::vector<int64_t>& numbers) {
  std::string text;
  for (const int64_t number : numbers) {
    text += (text.empty() ? "" : ", ") + std::to_string(number);
  }
  return "(" + text + (numbers.size() == 1 ? ",)" : ")");
}

/// The tensor with its strides; its offset and the lazy bits are not kept: nothing can tell.
std::string tensorLiteral(const at::Tensor& given) {
  if (!given.defined() || given.layout() != at::kStrided || given.is_quantized() || given.is_meta()) {
    return "";
  }
  const at::Tensor tensor = given.detach().resolve_conj().resolve_neg().cpu();
  const TensorMetadata metadata = metadataOf(tensor);
  const std::string dtype = ", dtype=torch." + dtypeName(metadata.dtype) + ")";
  if (tensor.is_contiguous() && tensor.numel() > 0) {
    return "torch.tensor(" + listsText(tensor) + dtype;
  }
  const int64_t span = spanOf(metadata);
  const at::Tensor memory = at::as_strided(tensor, {span}, {1}, tensor.storage_offset());
  return "torch.tensor(" + listsText(memory) + dtype + ".as_strided(" + numbersText(metadata.sizes) + ", " +
         numbersText(metadata.strides) + ")";
}

std::string literalOf(const std::shared_ptr<const void>& constant) {
  try {
    return tensorLiteral(*static_cast<const at::Tensor*>(constant.get()));
  } catch (const std::exception&) { // a dtype without numbers
    return "";
  }
}

} // namespace

GraphTextOptions runnableTextOptions() {
  GraphTextOptions options = libtorchTextOptions();
  options.isRunnable = true;
  options.constantText = literalOf;
  return options;
}

std::string runnableCode(const Graph& graph, GraphTextOptions options) {
  const GraphTextOptions runnable = runnableTextOptions();
  options.isRunnable = true;
  options.constantText = runnable.constantText;
  options.parameters = runnable.parameters;
  options.numberText = runnable.numberText;
  const std::string code = graphCode(graph, options);
  const bool isWhole = code.find("callables[") == std::string::npos && code.find("constants[") == std::string::npos;
  return "import torch\n" + std::string(isWhole ? "\n\n" : kStandIns) + code;
}

} // namespace touchstone::graph
