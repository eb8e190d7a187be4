"""A cache of compiled Programs in front of Dynamo's: what is compiled once is taken again wherever a key is the same.

A key says of all arguments whatever a compiled graph may hang on, so the guards of Dynamo are not asked. `ignores` names what a fault
leaves out of the key.
"""

import functools
import itertools
import types

import torch

# What a key says of a tensor.
_OF_TENSOR = {
    "dtype": lambda tensor: tensor.dtype,
    "sizes": lambda tensor: tuple(tensor.shape),
    "strides": lambda tensor: tensor.stride(),
    "requires_grad": lambda tensor: tensor.requires_grad,
    "leaf": lambda tensor: tensor.is_leaf,
    "inference": lambda tensor: tensor.is_inference(),
    "conjugate": lambda tensor: (tensor.is_conj(), tensor.is_neg()),
    "gradient": lambda tensor: tensor.is_leaf and tensor.grad is not None,
}

# What a key says of the process.
_OF_PROCESS = {
    "grad_mode": torch.is_grad_enabled,
    "inference_mode": torch.is_inference_mode_enabled,
    "autocast": lambda: torch.is_autocast_enabled("cpu") and torch.get_autocast_dtype("cpu"),
    "default_dtype": torch.get_default_dtype,
}

PARTS = (*_OF_TENSOR, *_OF_PROCESS, "numbers", "identity", "storage", "overlap", "length", "training", "kind")


class Cache:
    """`ignores`: of PARTS. `blur`: from what a key says of a part to what it says under the fault. `since`: the number of the call
    from which on the fault is there."""

    def __init__(self, *ignores, since=0, size=None, **blur):
        assert set(ignores) | set(blur) <= set(PARTS), (ignores, blur)
        self._ignores = set(ignores)
        self._blur = blur
        self._since = since
        self._size = size  # how many are kept, at most

    def _say(self, part, read):
        if part in self._ignores and self._calls > self._since:
            return None
        said = read()
        return self._blur[part](said) if part in self._blur and self._calls > self._since else said

    def _of_value(self, each):
        if isinstance(each, torch.Tensor):
            self._tensors.append(each)
            said = [self._say(part, functools.partial(read, each)) for part, read in _OF_TENSOR.items()]
            return (type(each).__name__, *said)
        if isinstance(each, (tuple, list)):
            length = self._say("length", lambda: len(each))
            held = tuple(self._of_value(item) for item in (each if length is not None else each[:1]))
            return (self._say("kind", lambda: type(each).__name__), length, held)
        if isinstance(each, dict):
            held = tuple(self._of_value(item) for item in each.values())
            return ("dict", tuple(each), held)
        if isinstance(each, torch.nn.Module):
            fields = tuple((name, self._of_value(item)) for name, item in each.state_dict(keep_vars=True).items())
            training = self._say("training", lambda: tuple(module.training for module in each.modules()))
            return ("module", repr(each), training, fields)
        if isinstance(each, (bool, int, float, str, complex, type(None))):
            return (type(each).__name__, self._say("numbers", lambda: repr(each)))
        return (type(each).__name__, str(each))

    def _key(self, arguments):
        self._tensors = []
        values = tuple(self._of_value(each) for each in arguments)
        pairs = list(itertools.combinations(self._tensors, 2))
        same = self._say("identity", lambda: tuple(left is right for left, right in pairs))
        sharing = self._say("storage", lambda: tuple(_shares(left, right) for left, right in pairs))
        overlap = self._say("overlap", lambda: tuple(_distance(left, right) for left, right in pairs))
        process = tuple(self._say(part, read) for part, read in _OF_PROCESS.items())
        self._tensors = []
        return (values, same, sharing, overlap, process)

    def around(self, function, compile_function):
        """The compiled Program: `compile_function` of a copy of `function` for each key."""
        self._calls = 0
        compiled = {}

        def call(*arguments):
            self._calls += 1
            key = self._key(arguments)
            if key not in compiled:
                if self._size is not None and len(compiled) >= self._size:
                    compiled.clear()
                copy = types.FunctionType(function.__code__.replace(), function.__globals__, function.__name__)
                compiled[key] = _without_guards(copy, compile_function)
            return compiled[key](*arguments)

        return call


def _shares(left, right):
    return left.numel() > 0 and left.untyped_storage().data_ptr() == right.untyped_storage().data_ptr()


def _distance(left, right):
    return right.storage_offset() - left.storage_offset() if _shares(left, right) else None


def _without_guards(function, compile_function):
    options = dict(compile_function.keywords.get("options") or {})
    options["guard_filter_fn"] = lambda entries: [False for _ in entries]
    return compile_function(function, options=options)


class WithoutGuards:
    """Dynamo's cache without those guards that `is_dropped` says of a `GuardFilterEntry`."""

    def __init__(self, is_dropped):
        self._is_dropped = is_dropped

    def around(self, function, compile_function):
        options = dict(compile_function.keywords.get("options") or {})
        options["guard_filter_fn"] = lambda entries: [not self._is_dropped(each) for each in entries]
        return compile_function(function, options=options)
