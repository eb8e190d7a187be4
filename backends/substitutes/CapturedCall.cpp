#include "backends/substitutes/CapturedCall.h"

#include "backends/substitutes/PartsOfJoint.h"
#include "graph/runtime/AutocastStateScope.h"
#include "program/values/AutogradNodes.h"
#include "program/values/StorageCopy.h"

#include <torch/csrc/autograd/functions/basic_ops.h>
#include <torch/csrc/autograd/variable.h>

#include <algorithm>
#include <utility>

namespace touchstone::substitutes {

using ir::GraphSignature;
using Tensors = std::vector<at::Tensor>;

CapturedCall::CapturedCall(const ir::Graph& captured, ir::CallState state, const GraphSignature& signature)
    : signature_(signature), count_(captured.placeholders().size()), state_(std::move(state)), interpreter_(captured) {
  if (count_ > signature.inputs.size()) {
    throw NoSubstitute("arguments are one tensor");
  }
  for (const GraphSignature::Input& input : signature.inputs) {
    if (input.geometry.conjugate || input.geometry.negative) {
      throw NoSubstitute("an argument is a lazy view");
    }
    if (input.storage < 0 || static_cast<size_t>(input.storage) >= signature.takes.size()) {
      throw NoSubstitute("an argument lies in no memory that is known");
    }
  }
}

bool CapturedCall::isWritten(int storage) const {
  return std::any_of(signature_.inputs.begin(), signature_.inputs.end(), [&](const GraphSignature::Input& each) {
    return each.storage == storage && (each.dataMutated || each.metadataMutated);
  });
}

Tensors CapturedCall::arguments(const Tensors& given, torch::autograd::edge_list& edges) const {
  Tensors made(signature_.inputs.size());
  edges.assign(made.size(), {});
  for (size_t i = 0; i < made.size(); ++i) {
    argument(i, given, edges, made);
  }
  return made;
}

void CapturedCall::argument(size_t input, const Tensors& given, torch::autograd::edge_list& edges,
                            Tensors& made) const {
  const GraphSignature::Input& known = signature_.inputs[input];
  if (made[input].defined()) {
    return;
  }
  if (known.base >= 0 && isWritten(known.storage)) {
    const auto base = static_cast<size_t>(known.base);
    argument(base, given, edges, made);
    made[input] = made[base].as_strided(known.geometry.sizes, known.geometry.strides, known.geometry.offset);
    return;
  }
  made[input] = values::tensorOver(given.at(static_cast<size_t>(known.storage)).storage(), known.geometry);
  if (known.requiresGrad) {
    edges[input] = torch::autograd::Edge(values::makeNode<torch::autograd::Identity>(), 0);
    edges[input].function->add_input_metadata(made[input]);
    torch::autograd::impl::set_gradient_edge(made[input], edges[input]);
  }
}

Tensors CapturedCall::run(const Tensors& arguments) const {
  const runtime::AutocastStateScope autocast(state_); // regions of the Program are nodes
  Tensors results = interpreter_.runFlat({arguments.begin(), arguments.begin() + static_cast<std::ptrdiff_t>(count_)});
  std::erase_if(results, [](const at::Tensor& each) { return !each.defined(); });
  if (results.size() != signature_.outputs.size()) {
    throw std::logic_error("the captured graph does not return what was traced");
  }
  return results;
}

} // namespace touchstone::substitutes
