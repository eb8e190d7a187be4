#include "graph/runtime/RunnableCode.h"

#include "graph/ir/ArgumentText.h"
#include "graph/ir/BackwardCalls.h"
#include "graph/ir/Geometry.h"
#include "graph/ir/PythonNames.h"
#include "graph/runtime/EffectNames.h"
#include "graph/runtime/GraphCode.h"
#include "graph/runtime/Interpreter.h"

#include <ATen/ops/as_strided.h>

#include <algorithm>
#include <exception>
#include <set>

namespace touchstone::runtime {

namespace {

constexpr const char* kStandIns = R"(

class Missing:
    """What the text of a Graph cannot hold."""

    def __init__(self, what, known={}):
        self.what = what
        self.known = known

    def __getitem__(self, name):
        if name in self.known:
            return self.known[name]
        raise NotImplementedError(f"{self.what} {name!r} is not in this file: a Graph has no text for it")


constants = Missing("the constant")
)";

constexpr const char* kEffects = R"(

def with_effects(operator):
    """Takes a token first, and gives one first."""

    def call(token, *arguments):
        results = operator(*arguments)
        if not operator._schema.returns:
            return torch.empty(0)
        return (torch.empty(0), *(results if isinstance(results, tuple) else (results,)))

    return call


libraries = {name: torch.library.Library(name, "FRAGMENT") for name in ("with_effects", "touchstone")}
)";

/// A callable that is the same in each Graph, so that it can be written out.
struct KnownCallable {
  const char* target;
  const char* name; // in `definition`
  const char* definition;
};
constexpr KnownCallable kKnownCallables[] = {{ir::kSetGrad, "set_grad", R"(
new_grads = {}  # what the `.grad`s are that the backward sets, by the number of the node that accumulates


def set_grad(gradient, node):
    new_grads[node] = gradient
    return gradient

)"},
                                             {ir::kCallHook, "call_hook", R"(

def call_hook(hook, *arguments):
    given = hook(*arguments[:-1])  # the last one names the kind of the hook
    return arguments[0] if given is None and arguments[:-1] else given

)"},
                                             {ir::kCallBackward, "call_backward", R"(

def call_backward(function, metadata, *gradients):
    return function(*gradients)

)"},
                                             {ir::kAccumulate, "accumulate", R"(

def accumulate(gradient, other):
    return gradient + other

)"}};

/// Definitions of the operators of effects and tokens in a Graph, which PyTorch does not have: see
/// backends/fake/EffectfulOperators.h.
std::string effectsOf(const ir::Graph& graph) {
  std::set<std::string> defined;
  std::string definitions;
  for (const ir::Node& node : graph.nodes()) {
    const std::string effect = effectOf(node.target);
    if ((effect.empty() && node.target != kMakeToken && node.target != kSinkTokens) ||
        !defined.insert(node.target).second) {
      continue;
    }
    const size_t space = node.target.find("::");
    const std::string library = node.target.substr(0, space);
    const std::string name = node.target.substr(space + 2);
    std::string schema = c10::toString(findOperator(node.target)->schema());
    std::string computed = "lambda tokens: None";
    if (!effect.empty()) {
      computed = "with_effects(" + ir::pythonOperator(effect) + ")";
    } else if (node.target == kMakeToken) {
      computed = "lambda: torch.empty(0)";
    }
    definitions += "libraries[\"" + library + "\"].define('" + schema.substr(schema.find("::") + 2) + "')\n" +
                   "libraries[\"" + library + "\"].impl(\"" + name + "\", " + computed +
                   ", \"CompositeExplicitAutograd\")\n";
  }
  return definitions.empty() ? "" : kEffects + definitions + "\n\n";
}

/// What the module defines before the function: the callables that it can, and objects that say what is missing.
std::string definitionsFor(const ir::Graph& graph, bool holdsConstants) {
  std::set<std::string> targets;
  for (const ir::Node& node : graph.nodes()) {
    if (node.kind == ir::NodeKind::kCallable) {
      targets.insert(node.target);
    }
  }
  std::string definitions, known, missing;
  for (const KnownCallable& each : kKnownCallables) {
    if (targets.erase(each.target) > 0) {
      definitions += each.definition;
      known += (known.empty() ? "\"" : ", \"") + std::string(each.target) + "\": " + each.name;
    }
  }
  known = known.empty() ? "" : "{" + known + "}";
  if (targets.empty() && holdsConstants) {
    return definitions + (known.empty() ? "" : "\ncallables = " + known + "\n") + "\n\n";
  }
  for (const std::string& target : targets) {
    missing += (missing.empty() ? "\n# Not in this file, as a Graph has no text for it: " : ", ") + target;
  }
  return missing + (missing.empty() ? "" : "\n") + kStandIns + definitions + "\ncallables = Missing(\"the callable\"" +
         (known.empty() ? "" : ", " + known) + ")\n\n\n";
}

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
  const ir::TensorMetadata metadata = metadataOf(tensor);
  const std::string dtype = ", dtype=torch." + ir::dtypeName(metadata.dtype) + ")";
  if (tensor.is_contiguous() && tensor.numel() > 0) {
    return "torch.tensor(" + listsText(tensor) + dtype;
  }
  const int64_t span = ir::spanOf(metadata);
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

ir::GraphTextOptions runnableTextOptions() {
  ir::GraphTextOptions options = libtorchTextOptions();
  options.isRunnable = true;
  options.constantText = literalOf;
  return options;
}

std::string runnableCode(const ir::Graph& graph, ir::GraphTextOptions options) {
  const ir::GraphTextOptions runnable = runnableTextOptions();
  options.isRunnable = true;
  options.constantText = runnable.constantText;
  options.parameters = runnable.parameters;
  options.numberText = runnable.numberText;
  const std::string code = ir::graphCode(graph, options);
  return "import torch\n" + effectsOf(graph) + definitionsFor(graph, code.find("constants[") == std::string::npos) +
         code;
}

} // namespace touchstone::runtime
