#include "graph/program/CasePrinter.h"
#include "graph/program/MainPartPlan.h"

#include <algorithm>
#include <array>

// The text is put together from pieces; a piece is there when the Case's calls or the property need it. All of it stands
// in one function, so that it hides no function of the file.

namespace touchstone::graph {
namespace {

using Check = MainPartPlan::Check;

enum class Group { kOutputs, kInputs, kAll, kElsewhere };

// How one property of one tensor `t` is seen.
struct PropertyPiece {
  Property property;
  Group group;
  std::string_view expression;
};

constexpr std::array<PropertyPiece, 14> kPieces = {{
    {Property::kValues, Group::kOutputs, "t.detach().clone()"},
    {Property::kDtype, Group::kOutputs, "(t.dtype, t.device, t.is_conj(), t.is_neg())"},
    {Property::kShape, Group::kOutputs, "tuple(t.shape)"},
    {Property::kStrides, Group::kOutputs, "strides(t)"},
    {Property::kOffset, Group::kOutputs, "t.storage_offset() if t.numel() else 0"},
    {Property::kRequiresGrad, Group::kOutputs, "t.requires_grad"},
    {Property::kLeaf, Group::kOutputs, "(t.is_leaf, t.is_inference())"},
    {Property::kGradFn, Group::kOutputs, "t.grad_fn is not None"},
    {Property::kIdentity, Group::kAll, "[other for other, u in named.items() if u is t]"},
    {Property::kPartition, Group::kAll, "sharing(t, named)"},
    {Property::kVersion, Group::kInputs, "t._version != versions[name]"},
    {Property::kInputValues, Group::kInputs, "t.detach().clone()"},
    {Property::kInputMetadata, Group::kInputs,
     "(t.dtype, tuple(t.shape), strides(t), t.requires_grad, t.is_leaf, t.grad_fn is not None)"},
    {Property::kStorageBytes, Group::kInputs, "storage(t).clone()"},
}};

std::string quoted(const std::string& text) {
  return printExpression(*makeString(text));
}

class MainPartWriter {
 public:
  explicit MainPartWriter(const Case& theCase)
      : case_(theCase), plan_(planMainPart(theCase)), single_(plan_.properties.size() == 1) {}

  std::string write() {
    add(0, "if __name__ == \"__main__\":");
    add(1, "import sys");
    add(0, "");
    add(1, "import torch._functorch.config");
    add(1, "import torch._inductor.config");
    add(0, "");
    add(1, "def _main(backend=" + quoted(plan_.backend) + "):");
    addPurpose();
    addSettings();
    addCompile();
    addReading();
    addEffects();
    addBackward();
    addRun();
    addVerdict();
    add(0, "");
    add(1, "sys.exit(_main(*sys.argv[2:]))  # --backend NAME");
    return std::move(text_);
  }

 private:
  void add(int indent, const std::string& line) {
    text_ += line.empty() ? "\n" : std::string(static_cast<size_t>(indent) * 4, ' ') + line + "\n";
  }

  bool sees(Property property) const { return plan_.checks(property); }
  bool seesAny(std::initializer_list<Property> properties) const {
    return std::any_of(properties.begin(), properties.end(), [&](Property property) { return sees(property); });
  }
  bool seesGroup(Group group) const {
    return std::any_of(kPieces.begin(), kPieces.end(),
                       [&](const PropertyPiece& piece) { return piece.group == group && sees(piece.property); });
  }
  bool seesGradients() const { return seesAny({Property::kGradientPresence, Property::kGradientValues}); }
  bool seesTensors() const {
    return seesGroup(Group::kOutputs) || seesGroup(Group::kInputs) || seesGroup(Group::kAll) || sees(Property::kEffect);
  }
  // The tensors of a call by name are kept until all calls are made.
  bool keeps() const { return sees(Property::kEffect) || plan_.lateLook; }
  bool needsGiven() const {
    return seesGroup(Group::kInputs) || seesGroup(Group::kAll) || sees(Property::kEffect) || plan_.backward;
  }
  bool needsFlattening() const { return seesTensors() || plan_.backward || plan_.between; }
  bool comparesTensors() const {
    return seesAny({Property::kValues, Property::kInputValues, Property::kStorageBytes, Property::kGradientValues,
                    Property::kState});
  }

  void addPurpose() {
    std::string what = "anything observed";
    switch (plan_.check) {
      case Check::kRaises: what = "raising where eager does not"; break;
      case Check::kInternalError: what = "an internal error of the compiler"; break;
      case Check::kAccepts: what = "not raising where eager does"; break;
      case Check::kSurvives: add(2, "\"\"\"Runs the calls; the finding is that the process dies of it.\"\"\""); return;
      case Check::kProperties:
        if (single_) {
          what = std::string(propertyName(*plan_.properties.begin()));
        }
    }
    if (!plan_.where.empty()) {
      what += " of " + plan_.where;
    }
    if (plan_.call) {
      what += " in call " + std::to_string(*plan_.call);
    }
    const std::string exactness = !comparesTensors() || plan_.check != Check::kProperties ? ""
                                  : plan_.bound.empty()                                   ? ", bit for bit"
                                                                                          : ", within " + plan_.bound;
    add(2, "\"\"\"1 when compiled, `program` differs from eager in " + what + exactness + "; else 0.\"\"\"");
  }

  void addSettings() {
    add(2, "torch.set_num_threads(1)");
    add(2, "torch._dynamo.config.recompile_limit = 256");
    add(2, "torch._dynamo.config.accumulated_recompile_limit = 4096");
    add(2, "torch._functorch.config.donated_buffer = False");
    add(2, "torch._inductor.config.fallback_random = True  # eager's random numbers");
  }

  std::string compileArguments() const {
    const CompileSpec& compile = case_.compile;
    std::string text = compile.dynamic ? *compile.dynamic ? "dynamic=True" : "dynamic=False" : "dynamic=None";
    text += compile.fullgraph ? ", fullgraph=True" : "";
    return compile.options.empty() ? text : text + ", options=COMPILE[\"options\"]";
  }

  void addCompile() {
    add(0, "");
    add(2, "def compiled(function):");
    add(3, "if backend in (\"none\", \"eager_python\"):");
    add(4, "return function");
    add(3, "if backend == \"aot_function\":");
    add(4, "from functorch.compile import aot_function, nop");
    add(0, "");
    add(4, "return lambda *args: aot_function(function, nop)(*args)");
    if (plan_.backend.find(':') == std::string::npos) {
      add(3, "return torch.compile(function, backend=backend, " + compileArguments() + ")");
      return;
    }
    add(3, "import importlib");
    add(0, "");
    add(3, "module, _, name = backend.partition(\":\")");
    add(3, "chosen = getattr(importlib.import_module(module), name) if name else backend");
    add(3, "return torch.compile(function, backend=chosen, " + compileArguments() + ")");
  }

  // Functions that look at values.
  void addReading() {
    if (needsFlattening()) {
      add(0, "");
      add(2, "def tensors(value):");
      add(3, "if isinstance(value, torch.Tensor):");
      add(4, "return [value]");
      if (plan_.modules) {
        add(3, "if isinstance(value, torch.nn.Module):");
        add(4, "return [*value.parameters(), *value.buffers()]");
      }
      add(3, "value = list(value.values()) if isinstance(value, dict) else value");
      add(3, "return [t for part in value for t in tensors(part)] if isinstance(value, (list, tuple)) else []");
    }
    if (seesAny({Property::kStructure, Property::kNonTensor})) {
      add(0, "");
      add(2, "def outline(value):");
      add(3, "if isinstance(value, dict):");
      add(4, "return {key: outline(part) for key, part in value.items()}");
      add(3, "if isinstance(value, (list, tuple)):");
      add(4, "return type(value).__name__, [outline(part) for part in value]");
      const std::string leaf = sees(Property::kNonTensor) ? "repr(value)" : "\"value\"";
      add(3, "return \"tensor\" if isinstance(value, torch.Tensor) else " + leaf);
    }
    if (seesAny({Property::kStrides, Property::kInputMetadata, Property::kGradientValues})) {
      add(0, "");
      add(2, "def strides(t):  # those that matter");
      add(3, "return [stride for stride, size in zip(t.stride(), t.shape) if size > 1 and t.numel() > 1]");
    }
    if (sees(Property::kPartition)) {
      add(0, "");
      add(2, "def sharing(t, named):  # who else is in the same storage, and in which bytes");
      add(3, "def span(u):");
      add(4, "last = sum((size - 1) * stride for size, stride in zip(u.shape, u.stride())) if u.numel() else -1");
      add(4, "return u.storage_offset() * u.itemsize, (u.storage_offset() + last + 1) * u.itemsize");
      add(0, "");
      add(3, "shared = {k: u for k, u in named.items() if u.untyped_storage()._cdata == t.untyped_storage()._cdata}");
      add(3, "return {other: span(u) for other, u in shared.items()} if len(shared) > 1 else {}");
    }
    if (seesAny({Property::kStorageBytes, Property::kEffect})) {
      add(0, "");
      add(2, "def storage(t):  # all of it, gaps included");
      add(3, "return torch.empty(0, dtype=t.dtype).set_(t.untyped_storage())");
    }
    addSameness();
  }

  void addSameness() {
    if (!comparesTensors() && !sees(Property::kEffect)) {
      return;
    }
    const bool needsBits = plan_.bound.empty() || sees(Property::kEffect);
    if (needsBits) {
      add(0, "");
      add(2, "def bits(t):  # one NaN is as good as another");
      add(3, "t = t.detach().resolve_conj().resolve_neg().contiguous()");
      add(3, "real = torch.view_as_real(t) if t.is_complex() else t");
      add(3, "real = real.masked_fill(real.isnan(), float(\"nan\")) if real.is_floating_point() else real");
      add(3, "return t.dtype, t.shape, real.reshape(-1).view(torch.uint8).tolist()");
    }
    if (!comparesTensors()) {
      return;
    }
    add(0, "");
    add(2, "def same(a, b):");
    add(3, "if isinstance(a, torch.Tensor) and isinstance(b, torch.Tensor):");
    if (plan_.bound.empty()) {
      add(4, "return bits(a) == bits(b)");
    } else {
      add(4, "if (a.shape, a.dtype) != (b.shape, b.dtype):");
      add(5, "return False");
      add(4, "return torch.allclose(a, b, rtol=" + plan_.bound + ", atol=" + plan_.bound + ", equal_nan=True)");
    }
    add(3, "if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):");
    add(4, "return len(a) == len(b) and all(map(same, a, b))");
    add(3, "return type(a) is type(b) and a == b");
  }

  void addEffects() {
    if (!sees(Property::kEffect)) {
      return;
    }
    add(0, "");
    add(2, "def effects(t, named):  # who changes when `t` is written to");
    add(3, "with torch.inference_mode():");
    add(4, "saved, before = storage(t).clone(), {other: bits(u) for other, u in named.items()}");
    add(4, "changed = []");
    add(4, "for fill in (0, 1):");
    add(5, "t.detach().fill_(fill)");
    add(5, "changed += [other for other, u in named.items() if bits(u) != before[other]]");
    add(5, "storage(t).copy_(saved)");
    add(4, "return [other for other in named if other in changed]");
  }

  std::string tangent(TangentLayout layout) const {
    switch (layout) {
      case TangentLayout::kLike: return "torch.empty_like(root).copy_(values)";
      case TangentLayout::kContiguous: return "values";
      case TangentLayout::kTransposed: return "values.permute(order).contiguous().permute(order)";
      case TangentLayout::kExpanded: return "values[:1].expand_as(values) if root.dim() else values";
      case TangentLayout::kGapped:
        return "torch.stack([values, 0 * values], -1).flatten(-2)[..., ::2] if root.dim() else values";
      case TangentLayout::kNone: return "None";
    }
    return "";
  }

  void addTangent() {
    const std::vector<TangentLayout>& layouts = plan_.layouts;
    if (layouts == std::vector{TangentLayout::kNone}) {
      return;
    }
    add(0, "");
    add(2, "def tangent(call, number, root):");
    add(3, "seed = (call.get(\"tangent_seed\", 0), 1000000 + number)");
    add(3, "values = data(tuple(root.shape), root.dtype, seed, \"grid\")");
    if (std::find(layouts.begin(), layouts.end(), TangentLayout::kTransposed) != layouts.end()) {
      add(3, "order = list(reversed(range(root.dim())))");
    }
    if (layouts.size() == 1) {
      add(3, "return " + tangent(layouts[0]));
      return;
    }
    add(3, "layout = call.get(\"tangent_layout\", \"like\")");
    for (const TangentLayout layout : layouts) {
      add(3, "if layout == " + quoted(std::string(tangentLayoutName(layout))) + ":");
      add(4, "return " + tangent(layout));
    }
  }

  void addBackward() {
    if (!plan_.backward) {
      return;
    }
    addTangent();
    add(0, "");
    add(2, "def backward(call, outputs, given, leaves):");
    const std::string argument = "given[int(root[4:])] if isinstance(root, str) else outputs[root]";
    add(3, "roots = [" + std::string(plan_.argumentRoots ? argument : "outputs[root]") +
               " for root in call[\"backward\"]]");
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
      add(indent, "keep = dict(retain_graph=" + (plan_.times ? "left > 0 or " + create : create) +
                      ", create_graph=" + create + ")");
      keywords = ", **keep";
    }
    const bool noTangents = plan_.layouts == std::vector{TangentLayout::kNone};
    const bool someTangents = plan_.layouts.size() > 1 && std::find(plan_.layouts.begin(), plan_.layouts.end(),
                                                                    TangentLayout::kNone) != plan_.layouts.end();
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

  // Lines inside the `try` of a call; `seen` is filled under names like `call 0 output 1`.
  void addObservation(int indent) {
    const int inner = plan_.call && plan_.calls > 1 ? indent + 1 : indent;
    const bool hasSomething = !plan_.properties.empty();
    if (hasSomething && inner > indent && (seesTensors() || seesAny({Property::kStructure, Property::kNonTensor}))) {
      add(indent, "if number == " + std::to_string(*plan_.call) + ":");
    }
    for (const Property property : {Property::kStructure, Property::kNonTensor}) {
      if (sees(property)) {
        add(inner, "seen[f\"call {number} " + std::string(propertyName(property)) + "\"] = outline(result)");
      }
    }
    if (!seesTensors()) {
      return;
    }
    const bool all = seesGroup(Group::kAll) || sees(Property::kEffect);
    bool first = true;
    const auto addNames = [&](const std::string& role, const std::string& list) {
      add(inner, std::string(first ? "named = " : "named |= ") + "{f\"" + role + " {i}\": t for i, t in enumerate(" +
                     list + ")}");
      first = false;
    };
    if (all || seesGroup(Group::kOutputs)) {
      addNames("output", "outputs");
    }
    if (all || seesGroup(Group::kInputs)) {
      addNames("arg", "given");
      addNames("watched", "tensors(watched)");
    }
    if (keeps()) {
      add(inner, "kept.append((number, named))");
    }
    const bool loops = seesGroup(Group::kOutputs) || seesGroup(Group::kInputs) || seesGroup(Group::kAll);
    if (loops) {
      add(inner, "for name, t in named.items():");
    }
    for (const Group group : {Group::kAll, Group::kOutputs, Group::kInputs}) {
      addPieces(group, inner + 1);
    }
  }

  void addPieces(Group group, int indent) {
    if (!seesGroup(group)) {
      return;
    }
    // With both outputs and inputs at hand, each property looks at its own.
    const bool mixed = !single_ && group != Group::kAll;
    if (mixed) {
      add(indent, std::string("if ") + (group == Group::kInputs ? "not " : "") + "name.startswith(\"output\"):");
    }
    for (const PropertyPiece& piece : kPieces) {
      if (piece.group != group || !sees(piece.property)) {
        continue;
      }
      // An alias of an input may be another object: without a finding, identity counts among other tensors only.
      const std::string name = single_ ? "" : " " + std::string(propertyName(piece.property));
      std::string expression(piece.expression);
      if (piece.property == Property::kIdentity && !single_) {
        expression = "[other for other, u in named.items() if u is t and not any(u is v for v in given)]";
      }
      add(indent + (mixed ? 1 : 0), "seen[f\"call {number} {name}" + name + "\"] = " + expression);
    }
  }

  void addGradients(int indent, const std::string& number, const std::string& gradients) {
    if (!seesGradients()) {
      add(indent, gradients);
      return;
    }
    add(indent, "for i, gradient in " + gradients + ":");
    int inner = indent + 1;
    if (plan_.call && plan_.calls > 1) {
      add(inner, "if " + number + " == " + std::to_string(*plan_.call) + ":");
      ++inner;
    }
    const auto addPiece = [&](Property property, const std::string& expression) {
      if (sees(property)) {
        const std::string name = single_ ? "" : " " + std::string(propertyName(property));
        add(inner, "seen.setdefault(f\"call {" + number + "} leaf {i}" + name + "\", []).append(" + expression + ")");
      }
    };
    addPiece(Property::kGradientPresence, "gradient is not None");
    // The strides of `.grad` are promised, those of autograd.grad are not.
    addPiece(Property::kGradientValues, plan_.viaGrad ? "None if gradient is None else gradient.detach().clone()"
                                                      : "None if gradient is None else [gradient.detach().clone(), "
                                                        "strides(gradient)]");
  }

  std::string modes() const {
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

  void addRun() {
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
    if (sees(Property::kVersion)) {
      add(4, "versions = {f\"arg {i}\": t._version for i, t in enumerate(given)}");
      add(4, "versions |= {f\"watched {i}\": t._version for i, t in enumerate(tensors(watched))}");
    }
    if (sees(Property::kRecompiles)) {
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
    if (sees(Property::kRecompiles)) {
      add(5, "graphs = torch._dynamo.utils.counters[\"stats\"][\"unique_graphs\"] - graphs");
      add(5, "seen[f\"call {number} graphs compiled\"] = graphs");
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
    if (sees(Property::kEffect)) {
      add(3, "for number, named in kept:");
      add(4, "for name, t in named.items():");
      add(5, "seen[f\"call {number} {name}" + std::string(single_ ? "" : " effect") + "\"] = effects(t, named)");
    }
    add(3, "return seen");
  }

  void addRaised() {
    const std::string key = "seen[f\"call {number} raised\"] = ";
    if (plan_.check != Check::kInternalError) {
      add(5, key + "True");
      return;
    }
    add(5, "inner = getattr(error, \"inner_exception\", error)");
    add(5, "kinds = (AssertionError, KeyError, IndexError, AttributeError)");
    add(5, "internal = \"InternalTorchDynamo\" in type(error).__name__ or \"INTERNAL ASSERT\" in str(error)");
    add(5, key + "internal or isinstance(inner, kinds)");
  }

  void addForward() {
    const std::string scopes = modes();
    if (!scopes.empty()) {
      add(5, "with " + scopes + ":");
    }
    const int indent = scopes.empty() ? 5 : 6;
    const bool usesResult = needsFlattening() || seesAny({Property::kStructure, Property::kNonTensor});
    add(indent, std::string(usesResult ? "result = " : "") + "function(*args)");
    if (sees(Property::kState)) {
      const std::string key = "seen[f\"call {number} state\"] = ";
      add(indent, "state = [torch.get_rng_state(), torch.is_grad_enabled(), torch.is_inference_mode_enabled()]");
      add(indent, key + "state + [torch.is_autocast_enabled(\"cpu\"), torch.get_default_dtype()]");
    }
    if (needsFlattening()) {
      add(5, "outputs = tensors(result)");
    }
  }

  void addBackwardCalls() {
    if (!plan_.backward) {
      return;
    }
    int indent = 5;
    std::string number = "number", gradients = "backward(call, outputs, given, leaves)";
    if (plan_.deferred) {
      add(5, "waiting[number] = (call, outputs, given, leaves)");
      add(5, "for n in range(number + 1):");
      add(6, "due = after[number] == n or (n == number and n not in after[:" + std::to_string(plan_.calls) + "])");
      add(6, "if due and n in waiting and \"backward\" in CALLS[n]:");
      indent = 7;
      number = "n";
      gradients = "backward(*waiting[n])";
    } else {
      add(5, "if \"backward\" in call:");
      indent = 6;
    }
    if (plan_.compiledAutograd) {
      add(indent, "wanted = function is not program and call.get(\"compiled_autograd\", False)");
      add(indent, "scope = torch._dynamo.compiled_autograd._enable(compiled, dynamic=" +
                      std::string(case_.compile.dynamic == std::optional<bool>(false) ? "False" : "True") + ")");
      add(indent, "with scope if wanted else torch.enable_grad():");
      ++indent;
    }
    addGradients(indent, number, gradients);
  }

  std::string names() const {
    std::string text = plan_.call ? "\"call " + std::to_string(*plan_.call) + " raised\"" : "";
    const std::string prefix = "call " + std::to_string(plan_.call.value_or(0)) + " ";
    if (!plan_.where.empty() && single_) {
      text += ", " + quoted(prefix + plan_.where);
      text += plan_.lateLook ? ", " + quoted(prefix + plan_.where + " looked at again") : "";
    }
    return text;
  }

  void addVerdict() {
    add(0, "");
    if (plan_.check == Check::kSurvives) {
      add(2, "run(program)");
      add(2, "run(compiled(program))");
      add(2, "print(\"The process is still alive.\")");
      add(2, "return 0");
      return;
    }
    const bool byName = plan_.call && (plan_.check != Check::kProperties || (!plan_.where.empty() && single_));
    add(2, "expected, found, status = run(program), run(compiled(program)), 0");
    add(2, byName ? "for name in [" + names() + "]:" : "for name in {**expected, **found}:");
    add(3, "a, b = expected.get(name), found.get(name)");
    add(3, "if " + condition() + ":");
    add(4, "print(f\"{name} differs\\neager: {a}\\n{backend}: {b}\")");
    add(4, "status = 1");
    add(2, "print(\"differs\" if status else \"agrees\")");
    add(2, "return status");
  }

  std::string condition() const {
    switch (plan_.check) {
      case Check::kRaises: return "b and not a";
      case Check::kAccepts: return "a and not b";
      case Check::kInternalError: return "b is not None and a != b";
      default: break;
    }
    if (single_ && sees(Property::kVersion)) {
      return "a and not b"; // a compiler may count more, not less
    }
    const std::string differs = comparesTensors() ? "not same(a, b)" : "a != b";
    return sees(Property::kVersion) ? differs + " and not (name.endswith(\"version\") and b)" : differs;
  }

  const Case& case_;
  MainPartPlan plan_;
  bool single_;
  std::string text_;
};

} // namespace

std::string printMainPart(const Case& theCase) {
  return MainPartWriter(theCase).write();
}

} // namespace touchstone::graph
