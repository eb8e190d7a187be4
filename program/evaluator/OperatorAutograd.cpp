#include "program/evaluator/CustomFunctions.h"
#include "program/evaluator/FunctionNode.h"
#include "program/evaluator/FunctionResults.h"
#include "program/evaluator/OperatorValues.h"
#include "program/torch_names/OperatorCall.h"
#include "program/transforms/Layers.h"
#include "program/values/TensorWalk.h"

#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/grad_mode.h>
#include <torch/csrc/autograd/function.h>

#include <algorithm>

namespace touchstone::evaluator {
namespace {

using torch::autograd::variable_list;
using values::Value;

bool hasLists(const c10::FunctionSchema& schema) {
  const auto isList = [](const c10::Argument& each) {
    return each.type()->isSubtypeOf(*c10::ListType::ofTensors()) ||
           each.type()->isSubtypeOf(*c10::ListType::ofOptionalTensors());
  };
  return std::ranges::any_of(schema.arguments(), isList) || std::ranges::any_of(schema.returns(), isList);
}

} // namespace

void callUnderAutograd(const OperatorBodies& bodies, const c10::OperatorHandle& op, c10::DispatchKeySet keys,
                       torch::jit::Stack* stack) {
  const c10::FunctionSchema& schema = op.schema();
  const c10::ArrayRef<c10::IValue> given =
      c10::ArrayRef<c10::IValue>(*stack).slice(stack->size() - schema.arguments().size());
  const bool isWanted =
      c10::GradMode::is_enabled() && std::ranges::any_of(given, [](const c10::IValue& argument) {
        const std::vector<at::Tensor> tensors = values::definedTensors(argument);
        return std::ranges::any_of(tensors, [](const at::Tensor& each) { return each.requires_grad(); });
      });
  if (!isWanted) {
    const at::AutoDispatchBelowAutograd below;
    op.redispatchBoxed(keys & c10::after_autograd_keyset, stack);
    return;
  }
  if (transforms::layersAreActive()) { // the function that PyTorch makes of a formula has no `setup_context`
    refuseUnderLayers();
  }
  const values::ValueList arguments = unboxedArguments(schema, given, /*leavesOutDefaults=*/true);
  const values::ValueList filled = unboxedArguments(schema, given, /*leavesOutDefaults=*/false);
  const auto lists = hasLists(schema) ? std::make_shared<OperatorLists>() : nullptr;
  const values::ValueList flat =
      lists ? OperatorLists::opened(arguments, /*maybeNone=*/false, lists->arguments) : arguments;
  const std::shared_ptr<const OwnedProgram> program = bodies.programOfCaller();
  const auto node = c10::make_intrusive<FunctionNode>(bodies.function, program, bodies.nodeName());
  variable_list inputs;
  for (const Value& argument : flat) {
    if (argument.isTensor()) {
      inputs.push_back(argument.tensor());
    }
    node->isTensor.push_back(argument.isTensor());
    node->context.needsInputGrad.push_back(Value(requiresGrad(argument)));
  }
  for (int i = 0; i < (lists ? 2 : 1); ++i) { // what PyTorch hands on behind the arguments
    node->isTensor.push_back(false);
    node->context.needsInputGrad.push_back(Value(false));
  }
  node->set_next_edges(torch::autograd::collect_next_edges(inputs));
  node->clear_input_metadata();
  Value returned;
  {
    const c10::AutoGradMode noGradients(false);
    const c10::AutoFwGradMode noForwardGradients(false);
    const at::AutoDispatchBelowAutograd below;
    op.redispatchBoxed(keys & c10::after_autograd_keyset, stack);
    returned = torch_names::resultOf(schema, *stack, /*listsAsTuples=*/false);
    torch::jit::drop(*stack, schema.returns().size());
    if (bodies.made().setupContext) {
      Evaluator(program).setUpContext(bodies.function, filled, returned, node->context);
    }
  }
  if (lists) {
    lists->isTuple = returned.is<values::TuplePtr>();
    const values::ValueList results = lists->isTuple ? *returned.items() : values::ValueList{returned};
    returned = Value::tuple(OperatorLists::opened(results, /*maybeNone=*/false, lists->results));
    node->context.lists = lists;
  }
  Value wrapped = FunctionResults(*node, inputs, returned, /*isExecutable=*/true, /*hasSetup=*/false).wrapped();
  if (lists) {
    values::ValueList nested = lists->nested(*wrapped.items(), lists->results);
    wrapped = lists->isTuple ? Value::tuple(std::move(nested)) : nested.front();
  }
  pushResults(schema, wrapped, *stack);
}

} // namespace touchstone::evaluator
