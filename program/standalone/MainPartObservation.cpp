#include "program/standalone/MainPartWriter.h"

#include <algorithm>
#include <array>

namespace touchstone::standalone {
namespace {

// How one property of one tensor `t` is seen.
struct PropertyPiece {
  language::Property property;
  Group group;
  std::string_view expression;
};

constexpr std::array<PropertyPiece, 14> kPieces = {{
    {language::Property::kValues, Group::kOutputs, "t.detach().clone()"},
    {language::Property::kDtype, Group::kOutputs, "(t.dtype, t.device, t.is_conj(), t.is_neg())"},
    {language::Property::kShape, Group::kOutputs, "tuple(t.shape)"},
    {language::Property::kStrides, Group::kOutputs, "strides(t)"},
    {language::Property::kOffset, Group::kOutputs, "t.storage_offset() if t.numel() else 0"},
    {language::Property::kRequiresGrad, Group::kOutputs, "t.requires_grad"},
    {language::Property::kLeaf, Group::kOutputs, "(t.is_leaf, t.is_inference())"},
    {language::Property::kGradFn, Group::kOutputs, "t.grad_fn is not None"},
    {language::Property::kIdentity, Group::kAll, "[other for other, u in named.items() if u is t]"},
    {language::Property::kPartition, Group::kAll, "sharing(t, named)"},
    {language::Property::kVersion, Group::kInputs, "t._version != versions[name]"},
    {language::Property::kInputValues, Group::kInputs, "t.detach().clone()"},
    {language::Property::kInputMetadata, Group::kInputs,
     "(t.dtype, tuple(t.shape), strides(t), t.requires_grad, t.is_leaf, t.grad_fn is not None)"},
    {language::Property::kStorageBytes, Group::kInputs, "storage(t).clone()"},
}};

} // namespace

bool MainPartWriter::seesAny(std::initializer_list<language::Property> properties) const {
  return std::any_of(properties.begin(), properties.end(), [&](language::Property property) { return sees(property); });
}

bool MainPartWriter::seesGroup(Group group) const {
  return std::any_of(kPieces.begin(), kPieces.end(),
                     [&](const PropertyPiece& piece) { return piece.group == group && sees(piece.property); });
}

bool MainPartWriter::seesTensors() const {
  return seesGroup(Group::kOutputs) || seesGroup(Group::kInputs) || seesGroup(Group::kAll) ||
         sees(language::Property::kEffect);
}

bool MainPartWriter::needsGiven() const {
  return seesGroup(Group::kInputs) || seesGroup(Group::kAll) || sees(language::Property::kEffect) || plan_.backward;
}

bool MainPartWriter::comparesTensors() const {
  return seesAny({language::Property::kValues, language::Property::kInputValues, language::Property::kStorageBytes,
                  language::Property::kGradientValues, language::Property::kState});
}

// Functions that look at values.
void MainPartWriter::addReading() {
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
  if (seesAny({language::Property::kStructure, language::Property::kNonTensor})) {
    add(0, "");
    add(2, "def outline(value):");
    add(3, "if isinstance(value, dict):");
    add(4, "return {key: outline(part) for key, part in value.items()}");
    add(3, "if isinstance(value, (list, tuple)):");
    add(4, "return type(value).__name__, [outline(part) for part in value]");
    const std::string leaf = sees(language::Property::kNonTensor) ? "repr(value)" : "\"value\"";
    add(3, "return \"tensor\" if isinstance(value, torch.Tensor) else " + leaf);
  }
  if (seesAny(
          {language::Property::kStrides, language::Property::kInputMetadata, language::Property::kGradientValues})) {
    add(0, "");
    add(2, "def strides(t):  # those that matter");
    add(3, "return [stride for stride, size in zip(t.stride(), t.shape) if size > 1 and t.numel() > 1]");
  }
  if (sees(language::Property::kPartition)) {
    add(0, "");
    add(2, "def sharing(t, named):  # who else is in the same storage, and in which bytes");
    add(3, "def span(u):");
    add(4, "last = sum((size - 1) * stride for size, stride in zip(u.shape, u.stride())) if u.numel() else -1");
    add(4, "return u.storage_offset() * u.itemsize, (u.storage_offset() + last + 1) * u.itemsize");
    add(0, "");
    add(3, "shared = {k: u for k, u in named.items() if u.untyped_storage()._cdata == t.untyped_storage()._cdata}");
    add(3, "return {other: span(u) for other, u in shared.items()} if len(shared) > 1 else {}");
  }
  if (seesAny({language::Property::kStorageBytes, language::Property::kEffect})) {
    add(0, "");
    add(2, "def storage(t):  # all of it, gaps included");
    add(3, "return torch.empty(0, dtype=t.dtype).set_(t.untyped_storage())");
  }
  addSameness();
}

void MainPartWriter::addSameness() {
  if (!comparesTensors() && !sees(language::Property::kEffect)) {
    return;
  }
  const bool needsBits = plan_.bound.empty() || sees(language::Property::kEffect);
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

void MainPartWriter::addEffects() {
  if (!sees(language::Property::kEffect)) {
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

// Lines inside the `try` of a call; `seen` is filled under names like `call 0 output 1`.
void MainPartWriter::addObservation(int indent) {
  const int inner = plan_.call && plan_.calls > 1 ? indent + 1 : indent;
  const bool hasSomething = !plan_.properties.empty();
  if (hasSomething && inner > indent &&
      (seesTensors() || seesAny({language::Property::kStructure, language::Property::kNonTensor}))) {
    add(indent, "if number == " + std::to_string(*plan_.call) + ":");
  }
  if (seesAny({language::Property::kStructure, language::Property::kNonTensor})) {
    add(inner, "seen[f\"call {number} " +
                   std::string(single_ ? language::propertyName(*plan_.properties.begin()) : "result") +
                   "\"] = outline(result)");
  }
  if (!seesTensors()) {
    return;
  }
  const bool all = seesGroup(Group::kAll) || sees(language::Property::kEffect);
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

void MainPartWriter::addPieces(Group group, int indent) {
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
    const std::string name = single_ ? "" : " " + std::string(language::propertyName(piece.property));
    std::string expression(piece.expression);
    if (piece.property == language::Property::kIdentity && !single_) {
      expression = "[other for other, u in named.items() if u is t and not any(u is v for v in given)]";
    }
    add(indent + (mixed ? 1 : 0), "seen[f\"call {number} {name}" + name + "\"] = " + expression);
  }
}

void MainPartWriter::addGradients(int indent, const std::string& number, const std::string& gradients) {
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
  const auto addPiece = [&](language::Property property, const std::string& expression) {
    if (sees(property)) {
      const std::string name = single_ ? "" : " " + std::string(language::propertyName(property));
      add(inner, "seen.setdefault(f\"call {" + number + "} leaf {i}" + name + "\", []).append(" + expression + ")");
    }
  };
  addPiece(language::Property::kGradientPresence, "gradient is not None");
  // The strides of `.grad` are promised, those of autograd.grad are not.
  addPiece(language::Property::kGradientValues, plan_.viaGrad
                                                    ? "None if gradient is None else gradient.detach().clone()"
                                                    : "None if gradient is None else [gradient.detach().clone(), "
                                                      "strides(gradient)]");
}

} // namespace touchstone::standalone
