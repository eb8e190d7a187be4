"""AOTAutograd without Dynamo: `functorch.compile.aot_function`, called the way its contract asks for."""

import torch
from functorch.compile import aot_function, default_partition
from torch._functorch._aot_autograd.utils import make_boxed_func
from torch._subclasses.fake_tensor import DataDependentOutputException, DynamicOutputShapeException
from torch.fx.experimental.symbolic_shapes import GuardOnDataDependentSymNode

from .errors import Refused

# aot_function runs the Program once, on fake tensors; what happens outside tensors would happen then and never again.
_UNTRACEABLE_NAMES = {
    "backward": "a backward pass inside the Program",
    "grad": "gradients read or taken inside the Program",
    "graph_break": "a graph break",
    "is_leaf": "reading is_leaf",
    "print": "printing",
    "register_forward_hook": "a hook of a module",
    "register_forward_pre_hook": "a hook of a module",
    "register_full_backward_hook": "a hook of a module",
    "register_full_backward_pre_hook": "a hook of a module",
    "register_hook": "a gradient hook",
    "register_post_accumulate_grad_hook": "a gradient hook",
    "requires_grad_": "changing requires_grad",
    "retain_grad": "retain_grad",
    "set_grad_enabled": "changing the grad mode",
}

_REFUSALS = (DataDependentOutputException, DynamicOutputShapeException, GuardOnDataDependentSymNode)


def _names_of(code):
    """Every name that a function or one nested in it reads."""
    names = set(code.co_names)
    for constant in code.co_consts:
        if hasattr(constant, "co_names"):
            names |= _names_of(constant)
    return names


def _refuse_untraceable(program):
    seen, waiting = set(), [program]
    while waiting:
        function = waiting.pop()
        if function in seen:
            continue
        seen.add(function)
        for name in sorted(_names_of(function.__code__)):
            if name in _UNTRACEABLE_NAMES:
                raise Refused(f"torch:aot_function traces tensors only: {_UNTRACEABLE_NAMES[name]} is not seen by it.")
            called = function.__globals__.get(name)
            if hasattr(called, "__code__"):
                waiting.append(called)


def _tensor_key(tensor):
    return (
        tuple(tensor.shape),
        tensor.stride(),
        tensor.storage_offset(),
        tensor.untyped_storage().nbytes(),
        tensor.dtype,
        tensor.device,
        tensor.requires_grad,
        tensor.is_leaf,
        tensor.is_conj(),
        tensor.is_neg(),
        tensor._is_view(),
        tensor.is_inference(),
        type(tensor),
    )


class _Flattened:
    """Arguments with their tensors taken out; `key` holds all that tracing may have used of them."""

    def __init__(self, arguments):
        self.tensors = []
        self._storages = {}
        self._objects = {}
        self.key = tuple(self._visit(argument) for argument in arguments)

    def _visit(self, value):
        if isinstance(value, torch.Tensor):
            self.tensors.append(value)
            storage = self._storages.setdefault(value.untyped_storage()._cdata, len(self._storages))
            same = self._objects.setdefault(id(value), len(self._objects))
            return (torch.Tensor, storage, same) + _tensor_key(value)
        if isinstance(value, torch.nn.Module):
            raise Refused("torch:aot_function takes tensors and constants; a module is an argument of this Program.")
        if isinstance(value, (list, tuple)):
            return (type(value), tuple(self._visit(item) for item in value))
        if isinstance(value, dict):
            return (dict, tuple((name, self._visit(item)) for name, item in value.items()))
        if isinstance(value, float):
            return (float, value.hex())
        return (type(value), repr(value) if isinstance(value, (complex, slice)) else value)


class _Place:
    """Stands for a tensor in a structure that is kept between calls."""


def _structure(value):
    """`value` with a place for each tensor, so that keeping it keeps no tensor alive."""
    if isinstance(value, torch.Tensor):
        return _Place
    if isinstance(value, torch.Size):
        return value
    if isinstance(value, (list, tuple)):
        items = [_structure(item) for item in value]
        return items if isinstance(value, list) else tuple(items)
    if isinstance(value, dict):
        return {name: _structure(item) for name, item in value.items()}
    return value


def _rebuild(value, tensors):
    """A structure with its places filled, in order, by the next of `tensors`."""
    if value is _Place:
        return next(tensors)
    if isinstance(value, torch.Size):
        return value
    if isinstance(value, (list, tuple)):
        items = [_rebuild(item, tensors) for item in value]
        return items if isinstance(value, list) else tuple(items)
    if isinstance(value, dict):
        return {name: _rebuild(item, tensors) for name, item in value.items()}
    return value


def _tensors_of(value):
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, (list, tuple)):
        return [tensor for item in value for tensor in _tensors_of(item)]
    if isinstance(value, dict):
        return [tensor for item in value.values() for tensor in _tensors_of(item)]
    return []


def _modes():
    return (
        torch.is_grad_enabled(),
        torch.is_inference_mode_enabled(),
        torch.is_autocast_enabled("cpu"),
        torch.get_autocast_dtype("cpu"),
        torch.get_default_dtype(),
    )


class _Traced:
    """One aot_function: good for calls whose arguments have the same key."""

    def __init__(self, program, arguments, evidence):
        self._returned = None
        expected = _structure(arguments)
        evidence.frames += 1

        def on_tensors(*tensors):
            # Seen once, while tracing: constants of the result are kept, its tensors are what aot_function returns.
            returned = program(*_rebuild(expected, iter(tensors)))
            self._returned = _structure(returned)
            return tuple(_tensors_of(returned))

        def forward(graph_module, _):
            run = make_boxed_func(graph_module.forward)
            return evidence.counted(run) if evidence.add_graph(graph_module) else run

        def backward(graph_module, _):
            return make_boxed_func(graph_module.forward)

        self._run = aot_function(on_tensors, forward, backward, partition_fn=default_partition)

    def __call__(self, tensors):
        results = self._run(*tensors)
        return _rebuild(self._returned, iter(results))


class AotFunctionCalls:
    """The Program with a fresh aot_function for each new kind of arguments, as there are no guards to ask."""

    def __init__(self, program, evidence):
        _refuse_untraceable(program)
        self._program = program
        self._evidence = evidence
        self._traced = {}

    def __call__(self, *arguments):
        flattened = _Flattened(arguments)
        key = (flattened.key, _modes())
        traced = self._traced.get(key)
        if traced is None:
            if self._traced:
                self._evidence.recompiles.append("program: arguments or modes of another kind")
            traced = self._traced[key] = _Traced(self._program, arguments, self._evidence)
        try:
            return traced(flattened.tensors)
        except _REFUSALS as error:
            raise Refused(f"torch:aot_function cannot trace what depends on values: {error}") from error
