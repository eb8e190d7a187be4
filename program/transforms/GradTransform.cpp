#include "program/torch_names/HandWritten.h"
#include "program/transforms/Argnums.h"
#include "program/transforms/Layers.h"
#include "program/transforms/Transforms.h"
#include "program/transforms/Trees.h"
#include "program/transforms/Wrapping.h"
#include "program/values/RaiseError.h"

#include <c10/core/AutogradState.h>
#include <c10/core/InferenceMode.h>
#include <fmt/format.h>

namespace touchstone::transforms {
namespace {

struct GradAndValue {
  values::Value gradients;
  values::Value value;
  values::Value aux; // with `hasAux`
};

void checkScalar(const values::Value& output) {
  if (!output.isTensor()) {
    values::raiseError("RuntimeError", "grad_and_value(f)(*args): Expected f(*args) to return a Tensor, got {}",
                       classText(output));
  }
  if (output.tensor().dim() != 0) {
    values::raiseError(
        "RuntimeError",
        "grad_and_value(f)(*args): Expected f(*args) to return a scalar Tensor, got tensor with {} dims. "
        "Maybe you wanted to use the vjp or jacrev APIs instead?",
        output.tensor().dim());
  }
}

GradAndValue run(const Differentiated& differentiated, values::ValueList positional, Keywords keywords) {
  const WithoutSavedTensorHooks withoutHooks;
  const Layer layer = Layer::grad();
  const at::AutoGradMode enabled(true);
  positional = wrapAll(std::move(positional), layer.level());
  for (auto& [name, value] : keywords) {
    value = wrapAll(value, layer.level());
  }
  const Tree inputs = flatten(sliceArgnums(positional, differentiated.argnums));
  makeDifferentiable(values::Value::list(inputs.leaves));
  WithAux returned{.output = differentiated.function->call(std::move(positional), std::move(keywords))};
  if (differentiated.hasAux) {
    returned = withAux(returned.output, "grad_and_value(f)(*args)");
  }
  checkScalar(returned.output);
  const values::ValueList gradients = gradientsOf(differentiated.autogradGrad, {returned.output}, inputs.leaves, {},
                                                  /*retainGraph=*/false, /*createGraph=*/true);
  GradAndValue results;
  results.gradients = unwrapAll(unflatten(gradients, inputs.spec), layer.level());
  results.value = unwrapAll(returned.output, layer.level());
  if (differentiated.hasAux) {
    results.aux = unwrapAll(returned.aux, layer.level());
  }
  return results;
}

std::string dtypeText(at::ScalarType dtype) {
  return fmt::format("torch.{}", c10::getDtypeNames(dtype).first);
}

/// What a Vjp's function needs of the forward: its graph goes on living with the outputs.
struct Pullback {
  AutogradGrad autogradGrad;
  Tree outputs, inputs;

  values::Value operator()(const values::Value& cotangents, bool retainGraph, std::optional<bool> createGraph) const {
    const bool creates = createGraph.value_or(at::GradMode::is_enabled());
    const Tree given = flatten(cotangents);
    if (given.spec != outputs.spec) {
      values::raiseError("RuntimeError",
                         "Expected pytree structure of cotangents to be the same as pytree structure of outputs to the "
                         "function. cotangents: {}, primal output: {}",
                         shortSpecText(given.spec), shortSpecText(outputs.spec));
    }
    const WithoutInferenceMode withoutInference;
    return unflatten(gradientsOf(autogradGrad, outputs.leaves, inputs.leaves, given.leaves, retainGraph, creates),
                     inputs.spec);
  }
};

} // namespace

values::FunctionPtr gradAndValue(Differentiated differentiated) {
  std::string name = differentiated.function->name();
  return std::make_shared<MadeFunction>(
      std::move(name), [differentiated = std::move(differentiated)](values::ValueList positional, Keywords keywords) {
        GradAndValue found = run(differentiated, std::move(positional), std::move(keywords));
        values::Value value = differentiated.hasAux ? values::Value::tuple({found.value, found.aux}) : found.value;
        return values::Value::tuple({std::move(found.gradients), std::move(value)});
      });
}

values::FunctionPtr grad(Differentiated differentiated) {
  std::string name = differentiated.function->name();
  return std::make_shared<MadeFunction>(
      std::move(name), [differentiated = std::move(differentiated)](values::ValueList positional, Keywords keywords) {
        GradAndValue found = run(differentiated, std::move(positional), std::move(keywords));
        return differentiated.hasAux ? values::Value::tuple({std::move(found.gradients), std::move(found.aux)})
                                     : std::move(found.gradients);
      });
}

Vjp vjp(const Differentiated& differentiated, const values::ValueList& primals) {
  constexpr const char* kApi = "vjp(f, *primals)";
  const WithoutSavedTensorHooks withoutHooks;
  const Layer layer = Layer::grad();
  const at::AutoGradMode enabled(true);
  values::ValueList wrapped = wrapAll(primals, layer.level());
  const values::Value& argnums = differentiated.argnums;
  Tree inputs = flatten(argnums.isNone() ? values::Value::tuple(wrapped) : sliceArgnums(wrapped, argnums));
  makeDifferentiable(values::Value::list(inputs.leaves));
  WithAux returned{.output = differentiated.function->call(std::move(wrapped), {})};
  Vjp made;
  if (differentiated.hasAux) {
    returned = withAux(returned.output, kApi);
    made.aux = unwrapAll(returned.aux, layer.level());
  }
  Tree outputs = flatten(returned.output);
  checkOutputs(outputs.leaves, kApi);
  made.outputs = unwrapAll(returned.output, layer.level());
  for (const values::Value& output : outputs.leaves) {
    const at::ScalarType dtype = output.tensor().scalar_type();
    if (!at::isFloatingType(dtype) && !at::isComplexType(dtype)) {
      values::raiseError(
          "RuntimeError",
          "vjp(f, ...): All outputs of f must be floating-point or complex Tensors, got Tensor with dtype "
          "{}",
          dtypeText(dtype));
    }
  }
  made.function = Pullback{differentiated.autogradGrad, std::move(outputs), std::move(inputs)};
  return made;
}

} // namespace touchstone::transforms
