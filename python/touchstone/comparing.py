"""Compares what one call left in eager mode with what it left when compiled."""

import dataclasses
import enum
import numbers

import torch

from touchstone.numerics import value_difference
from touchstone.places import parts, tensors_in
from touchstone.verdict import Difference

_PLAIN = (numbers.Number, str, bytes, bool, type(None), torch.dtype, torch.device, torch.memory_format, torch.layout, enum.Enum, slice, range)


@dataclasses.dataclass(frozen=True)
class Rules:
    """What is compared, and how closely."""

    exact: bool = True  # values of outputs and inputs to the bit
    exact_gradients: bool = False  # the joint graph adds gradients up in another order
    versions: bool = True  # an input that eager has written must be bumped
    strides: bool = True


class Comparison:
    """Collects the differences of one call.

    eager, compiled: Observed. reference: a function that gives the call's Observed in double precision, or None; it is asked
    only where values differ. before: the inputs' tensors as they were, in the order of `eager.inputs`, or None.
    """

    def __init__(self, number, eager, compiled, rules, reference=None, before=None):
        self.differences = []
        self._number = number
        self._eager, self._compiled = eager, compiled
        self._rules = rules
        self._reference = reference
        self._before = before
        self._pairs = []  # (where, eager's, compiled's) of outputs

    def compare(self):
        """The differences of a call that raised on neither side, the worst first."""
        self._structure(self._eager.outputs, self._compiled.outputs, "output")
        for where, eager, compiled in self._pairs:
            self._tensor(where, eager, compiled, "values", lambda seen, where=where: tensors_in({"output": seen.outputs}).get(where))
        inputs = self._inputs()
        for where, eager, compiled in inputs:
            self._tensor(where, eager, compiled, "input_values", lambda seen, where=where: dict(seen.inputs).get(where))
        self._containers()
        self._versions(inputs)
        self._partition(inputs)
        self._identity(inputs)
        for text in self._eager.state.differences(self._compiled.state):
            self._add("state", "the process", text)
        return self.differences

    def compare_gradients(self):
        """The differences of the gradients after a backward."""
        for where, eager in self._eager.gradients.items():
            compiled = self._compiled.gradients.get(where)
            if (eager is None) != (compiled is None):
                if eager is None and not compiled.any():
                    continue  # None became zero: rule A5
                self._add("gradient_presence", where, f"{_present(eager)} in eager mode, {_present(compiled)} when compiled")
            elif eager is not None:
                self._gradient(where, eager, compiled)
        return self.differences

    def _gradient(self, where, eager, compiled):
        if (eager.dtype, eager.shape, eager.layout) != (compiled.dtype, compiled.shape, compiled.layout):
            self._add("gradient_values", where, f"{_described(eager)} in eager mode, {_described(compiled)} when compiled")
            return
        if eager.layout != torch.strided:
            eager, compiled = eager.to_dense(), compiled.to_dense()
        text = value_difference(eager, compiled, self._exactly(lambda seen: seen.gradients.get(where)), self._rules.exact_gradients)
        if text:
            self._add("gradient_values", where, text)

    def _inputs(self):
        others = dict(self._compiled.inputs)
        return [(where, eager, others[where]) for where, eager in self._eager.inputs if where in others]

    def _add(self, name, where, text):
        self.differences.append(Difference(self._number, name, where, text))

    def _structure(self, eager, compiled, where, seen=None):
        seen = set() if seen is None else seen
        if isinstance(eager, torch.Tensor) and isinstance(compiled, torch.Tensor):
            self._pairs.append((where, eager, compiled))
            return
        if type(eager) is not type(compiled) and not (isinstance(eager, numbers.Number) and eager == compiled):
            self._add("structure", where, f"a {type(eager).__name__} in eager mode, a {type(compiled).__name__} when compiled")
            return
        if isinstance(eager, _PLAIN):
            if eager != compiled and not (eager != eager and compiled != compiled):
                self._add("non_tensor", where, f"{eager!r} in eager mode, {compiled!r} when compiled")
            return
        if isinstance(eager, (set, frozenset)):
            if len(eager) != len(compiled) or (all(isinstance(each, _PLAIN) for each in eager) and eager != compiled):
                self._add("structure", where, f"{eager!r} in eager mode, {compiled!r} when compiled")
            return
        mine, others = parts(eager), parts(compiled)
        if mine is None or id(eager) in seen:
            return
        seen.add(id(eager))
        if [suffix for suffix, _ in mine] != [suffix for suffix, _ in others]:
            self._add("structure", where, f"{_places(mine)} in eager mode, {_places(others)} when compiled")
            return
        for (suffix, one), (_, other) in zip(mine, others):
            self._structure(one, other, where + suffix, seen)

    def _containers(self):
        inner = Comparison(self._number, self._eager, self._compiled, self._rules)
        for name, eager in self._eager.inputs_tree.items():
            inner._structure(eager, self._compiled.inputs_tree[name], name)
        for each in inner.differences:
            self._add("input_metadata", each.where, each.text)

    def _tensor(self, where, eager, compiled, values, of):
        metadata = "input_metadata" if values == "input_values" else None
        for name, read in _METADATA:
            one, other = read(eager), read(compiled)
            if one != other and (self._rules.strides or name not in ("strides", "offset")):
                self._add(metadata or name, where, f"{name} {one} in eager mode, {other} when compiled")
                if name in ("dtype", "shape"):
                    return
        if type(eager) is not type(compiled):
            self._add("structure", where, f"a {type(eager).__name__} in eager mode, a {type(compiled).__name__} when compiled")
        if not _is_dense(eager) or not _is_dense(compiled):
            return
        text = value_difference(eager, compiled, self._exactly(of), self._rules.exact)
        if text and self._rules.exact and not value_difference(eager, compiled, self._exactly(of), False):
            values = "precision"
        if text:
            self._add(values, where, text)

    def _exactly(self, of):
        def read():
            seen = self._reference() if self._reference else None
            return of(seen) if seen is not None and seen.error is None else None

        return read

    def _versions(self, inputs):
        if not self._rules.versions or self._before is None:
            return
        grew = {where: by for (where, _), by in zip(self._compiled.inputs, self._compiled.versions)}
        for (where, eager), by, before in zip(self._eager.inputs, self._eager.versions, self._before):
            if by and not grew.get(where, by) and before.shape == eager.shape and value_difference(before, eager):
                self._add("version", where, "the version counter is bumped in eager mode, and is not when compiled")

    def _partition(self, inputs):
        mine, others = _groups(inputs, 1, self._pairs), _groups(inputs, 2, self._pairs)
        for where, first in mine.items():
            if where in others and others[where] != first:
                text = f"{_shares(first, where)} in eager mode, {_shares(others[where], where)} when compiled"
                self._add("partition", where, text)

    def _identity(self, inputs):
        held = {each.untyped_storage()._cdata for _, each, _ in inputs if _is_dense(each)}
        first = {}
        for where, eager, compiled in self._pairs:
            earlier = first.setdefault(id(eager), (where, compiled))
            if earlier[1] is not compiled and _is_dense(eager) and eager.untyped_storage()._cdata not in held:
                self._add("identity", where, f"the same object as {earlier[0]} in eager mode, another when compiled")
        self._identity_of_compiled(held)

    def _identity_of_compiled(self, held):
        first = {}
        for where, eager, compiled in self._pairs:
            earlier = first.setdefault(id(compiled), (where, eager))
            if earlier[1] is not eager:
                self._add("identity", where, f"another object than {earlier[0]} in eager mode, the same when compiled")


def later_difference(eager, compiled, rules):
    """What has become of the results of two Observed since their calls: pairs (where, text) where they changed differently."""
    others = tensors_in({"output": compiled.outputs})
    for where, mine in tensors_in({"output": eager.outputs}).items():
        other = others.get(where)
        changed, other_changed = has_changed(eager, where, mine), has_changed(compiled, where, other)
        if not changed and not other_changed or mine.shape != other.shape or mine.dtype != other.dtype:
            continue
        text = value_difference(mine, other, None, rules.exact)
        if text and changed == other_changed:
            yield where, text
        elif text:
            yield where, f"it has changed {'in eager mode' if changed else 'when compiled'} alone: {text}"


def has_changed(observed, where, tensor):
    """Whether a result holds other values than when `observed` kept them; False where it did not."""
    kept = observed.kept.get(where)
    return kept is not None and tensor is not None and kept.shape == tensor.shape and bool(value_difference(kept, tensor))


def _is_dense(tensor):
    return tensor.layout == torch.strided and not tensor.is_quantized and tensor.device.type != "meta"


def _significant_strides(tensor):
    if not _is_dense(tensor) or tensor.numel() <= 1:
        return ()
    return tuple(stride if size > 1 else "any" for size, stride in zip(tensor.shape, tensor.stride()))


_METADATA = (
    ("dtype", lambda tensor: tensor.dtype),
    ("dtype", lambda tensor: (str(tensor.device), tensor.layout)),
    ("shape", lambda tensor: tuple(tensor.shape)),
    ("dtype", lambda tensor: ("conj bit", tensor.is_conj(), "neg bit", tensor.is_neg()) if _is_dense(tensor) else ()),
    ("strides", _significant_strides),
    ("offset", lambda tensor: tensor.storage_offset() if _is_dense(tensor) and tensor.numel() else 0),
    ("requires_grad", lambda tensor: tensor.requires_grad),
    ("leaf", lambda tensor: (tensor.is_leaf, tensor.is_inference()) if tensor.requires_grad else tensor.is_inference()),
)


def _groups(inputs, side, pairs):
    """By place: the first place whose tensor has the same storage."""
    first, groups = {}, {}
    for triple in [*inputs, *pairs]:
        tensor = triple[side]
        if _is_dense(tensor) and tensor.untyped_storage().nbytes():
            groups[triple[0]] = first.setdefault(tensor.untyped_storage()._cdata, triple[0])
    return groups


def _shares(first, where):
    return "memory of its own" if first == where else f"memory shared with {first}"


def _places(listed):
    return "[" + ", ".join(suffix for suffix, _ in listed) + "]"


def _present(gradient):
    return "None" if gradient is None else "a tensor"


def _described(tensor):
    return f"{tensor.dtype} {tuple(tensor.shape)} {tensor.layout}"
