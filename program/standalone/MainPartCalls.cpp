#include "program/standalone/MainPartWriter.h"

#include "program/language/CasePrinter.h"

#include <algorithm>

namespace touchstone::standalone {

void MainPartWriter::addRun() {
  add(0, "");
  add(2, "def run(function):");
  add(3, "seen = {}");
  if (keeps()) {
    add(3, "kept = []");
  }
  if (plan_.deferred) {
    add(3, "waiting, after = {}, [call.get(\"backward_after\") for call in CALLS]");
  }
  if (plan_.gradMode) {
    add(3, "modes = dict(enable=torch.enable_grad, no_grad=torch.no_grad, inference=torch.inference_mode)");
  }
  add(3, "for number, call in enumerate(CALLS[:" + std::to_string(plan_.calls) + "]):");
  if (plan_.reset) {
    add(4, "if call.get(\"reset\"):");
    add(5, "torch._dynamo.reset()");
  }
  if (plan_.randomInputs) {
    add(4, "torch.manual_seed(call.get(\"rng_seed\", 0))");
  }
  if (plan_.reuse) {
    add(4, "if call[\"inputs\"]:");
  }
  add(plan_.reuse ? 5 : 4,
      "args, watched = globals()[call[\"inputs\"]](call.get(\"seed\", 0), call.get(\"kind\", \"grid\"))");
  if (needsGiven()) {
    add(4, "given = tensors(args)");
  }
  if (plan_.backward) {
    add(4, "leaves = [t for t in dict.fromkeys(given + tensors(watched)) if t.requires_grad and t.is_leaf]");
  }
  if (sees(language::Property::kVersion)) {
    add(4, "versions = {f\"arg {i}\": t._version for i, t in enumerate(given)}");
    add(4, "versions |= {f\"watched {i}\": t._version for i, t in enumerate(tensors(watched))}");
  }
  if (sees(language::Property::kRecompiles)) {
    add(4, "graphs = torch._dynamo.utils.counters[\"stats\"][\"unique_graphs\"]");
  }
  add(4, "torch.manual_seed(call.get(\"rng_seed\", 0))");
  add(4, "try:");
  addForward();
  addObservation(5);
  if (plan_.between) {
    add(5, "if \"between\" in call:");
    add(6, "with torch.no_grad():");
    add(7, "globals()[call[\"between\"]](tuple(args), outputs)");
  }
  addBackwardCalls();
  if (sees(language::Property::kRecompiles)) {
    // The first call compiles by right.
    add(5, "if number " + (plan_.call ? "== " + std::to_string(*plan_.call) : "> 0") + ":");
    add(6, "graphs = torch._dynamo.utils.counters[\"stats\"][\"unique_graphs\"] - graphs");
    add(6, "seen[f\"call {number} graphs compiled\"] = graphs");
  }
  add(4, "except Exception as error:");
  add(5, "print(f\"call {number} raises {type(error).__name__}: {error}\"[:300])");
  addRaised();
  if (plan_.lateLook) {
    add(3, "for number, named in kept:");
    add(4, "for name, t in named.items():");
    if (!single_) {
      add(5, "if name.startswith(\"output\"):");
    }
    add(single_ ? 5 : 6, "seen[f\"call {number} {name}" + std::string(single_ ? "" : " values") +
                             " looked at again\"] = t.detach().clone()");
  }
  if (sees(language::Property::kEffect)) {
    add(3, "for number, named in kept:");
    add(4, "for name, t in named.items():");
    add(5, "seen[f\"call {number} {name}" + std::string(single_ ? "" : " effect") + "\"] = effects(t, named)");
  }
  add(3, "return seen");
}

void MainPartWriter::addForward() {
  const std::string scopes = modes();
  if (!scopes.empty()) {
    add(5, "with " + scopes + ":");
  }
  const int indent = scopes.empty() ? 5 : 6;
  const bool usesResult =
      needsFlattening() || seesAny({language::Property::kStructure, language::Property::kNonTensor});
  add(indent, std::string(usesResult ? "result = " : "") + "function(*args)");
  if (sees(language::Property::kState)) {
    const std::string key = "seen[f\"call {number} state\"] = ";
    add(indent, "state = [torch.get_rng_state(), torch.is_grad_enabled(), torch.is_inference_mode_enabled()]");
    add(indent, key + "state + [torch.is_autocast_enabled(\"cpu\"), torch.get_default_dtype()]");
  }
  if (needsFlattening()) {
    add(5, "outputs = tensors(result)");
  }
}

void MainPartWriter::addBackwardCalls() {
  if (!plan_.backward) {
    return;
  }
  int indent = 5;
  std::string number = "number", owner = "call", gradients = "backward(call, outputs, given, leaves)";
  if (plan_.deferred) {
    add(5, "waiting[number] = (call, outputs, given, leaves)");
    add(5, "for n in range(number + 1):");
    add(6, "due = after[number] == n or (n == number and n not in after[:" + std::to_string(plan_.calls) + "])");
    add(6, "if due and n in waiting and \"backward\" in CALLS[n]:");
    indent = 7;
    number = "n";
    owner = "CALLS[n]";
    gradients = "backward(*waiting[n])";
  } else {
    add(5, "if \"backward\" in call:");
    indent = 6;
  }
  if (plan_.compiledAutograd) {
    add(indent, "wanted = function is not program and " + owner + ".get(\"compiled_autograd\", False)");
    add(indent, "scope = torch._dynamo.compiled_autograd._enable(compiled, dynamic=" +
                    std::string(case_.compile.dynamic == std::optional<bool>(false) ? "False" : "True") + ")");
    add(indent, "with scope if wanted else torch.enable_grad():");
    ++indent;
  }
  addGradients(indent, number, gradients);
}

void MainPartWriter::addRaised() {
  const std::string key = "seen[f\"call {number} raised\"] = ";
  if (plan_.check != MainPartPlan::Check::kInternalError) {
    add(5, key + "True");
    return;
  }
  add(5, "inner = getattr(error, \"inner_exception\", error)");
  add(5, "kinds = (AssertionError, KeyError, IndexError, AttributeError)");
  add(5, "internal = \"InternalTorchDynamo\" in type(error).__name__ or \"INTERNAL ASSERT\" in str(error)");
  add(5, key + "internal or isinstance(inner, kinds)");
}

std::string MainPartWriter::modes() const {
  std::string text;
  if (plan_.gradMode) {
    text = "modes[call.get(\"grad_mode\", \"enable\")]()";
  }
  if (plan_.autocast) {
    text += (text.empty() ? "" : ", ") +
            std::string("torch.autocast(\"cpu\", call.get(\"autocast\", torch.bfloat16), ") +
            "enabled=\"autocast\" in call)";
  }
  return text;
}

std::string MainPartWriter::tangent(language::TangentLayout layout) const {
  switch (layout) {
    case language::TangentLayout::kLike: return "torch.empty_like(root).copy_(values)";
    case language::TangentLayout::kContiguous: return "values";
    case language::TangentLayout::kTransposed: return "values.permute(order).contiguous().permute(order)";
    case language::TangentLayout::kExpanded: return "values[:1].expand_as(values) if root.dim() else values";
    case language::TangentLayout::kGapped:
      return "torch.stack([values, 0 * values], -1).flatten(-2)[..., ::2] if root.dim() else values";
    case language::TangentLayout::kNone: return "None";
  }
  return "";
}

void MainPartWriter::addTangent() {
  const std::vector<language::TangentLayout>& layouts = plan_.layouts;
  if (layouts == std::vector{language::TangentLayout::kNone}) {
    return;
  }
  add(0, "");
  add(2, "def tangent(call, number, root):");
  add(3, "seed = (call.get(\"tangent_seed\", 0), 1000000 + number)");
  add(3, "values = data(tuple(root.shape), root.dtype, seed, \"grid\")");
  if (std::find(layouts.begin(), layouts.end(), language::TangentLayout::kTransposed) != layouts.end()) {
    add(3, "order = list(reversed(range(root.dim())))");
  }
  if (layouts.size() == 1) {
    add(3, "return " + tangent(layouts[0]));
    return;
  }
  add(3, "layout = call.get(\"tangent_layout\", \"like\")");
  for (const language::TangentLayout layout : layouts) {
    add(3, "if layout == " + language::printString(std::string(language::tangentLayoutName(layout))) + ":");
    add(4, "return " + tangent(layout));
  }
}

void MainPartWriter::addBackward() {
  if (!plan_.backward) {
    return;
  }
  addTangent();
  add(0, "");
  add(2, "def backward(call, outputs, given, leaves):");
  const std::string argument = "given[int(root[4:])] if isinstance(root, str) else outputs[root]";
  add(3,
      "roots = [" + std::string(plan_.argumentRoots ? argument : "outputs[root]") + " for root in call[\"backward\"]]");
  std::string keywords;
  if (plan_.wrt) {
    add(3, "chosen = call.get(\"wrt\") or range(len(leaves))");
  }
  const std::string leaves = plan_.wrt ? "[leaves[i] for i in chosen]" : "leaves";
  if (plan_.viaGrad) {
    add(3, "gradients = []");
  }
  int indent = 3;
  if (plan_.times) {
    add(3, "for left in reversed(range(call.get(\"backward_times\", 1))):");
    indent = 4;
  }
  if (plan_.times || plan_.createGraph) {
    const std::string create = plan_.createGraph ? "call.get(\"create_graph\", False)" : "False";
    add(indent, "keep = dict(retain_graph=" +
                    (!plan_.times        ? create
                     : plan_.createGraph ? "left > 0 or " + create
                                         : "left > 0") +
                    ", create_graph=" + create + ")");
    keywords = ", **keep";
  }
  const bool noTangents = plan_.layouts == std::vector{language::TangentLayout::kNone};
  const bool someTangents =
      plan_.layouts.size() > 1 &&
      std::find(plan_.layouts.begin(), plan_.layouts.end(), language::TangentLayout::kNone) != plan_.layouts.end();
  if (!noTangents) {
    add(indent, "tangents = [tangent(call, i, root) for i, root in enumerate(roots)]" +
                    std::string(someTangents ? " if call.get(\"tangent_layout\") != \"none\" else None" : ""));
  }
  const std::string tangents = noTangents ? "" : ", tangents";
  if (plan_.viaGrad) {
    const std::string grad = "torch.autograd.grad(roots, " + leaves + std::string(noTangents ? "" : ", tangents") +
                             ", allow_unused=True" + keywords + ")";
    const std::string numbers = plan_.wrt ? "chosen" : "range(len(leaves))";
    if (plan_.viaBackward) {
      add(indent, "if call.get(\"via\") == \"grad\":");
      add(indent + 1, "gradients += zip(" + numbers + ", " + grad + ")");
      add(indent + 1, plan_.times ? "continue" : "return gradients");
    } else {
      add(indent, "gradients += zip(" + numbers + ", " + grad + ")");
    }
  }
  if (plan_.viaBackward) {
    const std::string inputs = plan_.wrt ? ", inputs=" + leaves + " if \"wrt\" in call else None" : "";
    add(indent, "torch.autograd.backward(roots" + tangents + inputs + keywords + ")");
  }
  const std::string attributes = "list(enumerate(leaf.grad for leaf in leaves))";
  add(3, "return " + (!plan_.viaGrad      ? attributes
                      : plan_.viaBackward ? "gradients if call.get(\"via\") == \"grad\" else " + attributes
                                          : "gradients"));
}

} // namespace touchstone::standalone
