"""Where tensors stand in nested values."""

import dataclasses
import functools
import inspect
import types

import torch


def tensors_in(trees):
    """All tensors in the values of a dict, each once, by place: `{"argument": (x, [y])}` gives `argument[0]`, `argument[1][0]`."""
    found, seen = {}, set()
    for name, value in trees.items():
        _walk(value, name, found, seen)
    return found


def parts(value):
    """The parts of a container, module, function or object, as (suffix of the place, part); None of anything else."""
    if isinstance(value, torch.nn.Module):
        own = {**value._parameters, **value._buffers, **value._modules}
        other = {name: each for name, each in vars(value).items() if not name.startswith("_") and name != "forward"}
        return [(f".{name}", each) for name, each in {**own, **other}.items()]
    if isinstance(value, dict):
        return [(f"[{key!r}]", each) for key, each in value.items()]
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return [(f".{name}", each) for name, each in zip(value._fields, value)]
    if isinstance(value, (list, tuple)):
        return [(f"[{number}]", each) for number, each in enumerate(value)]
    if isinstance(value, types.MethodType):
        return [("", value.__self__)]
    if isinstance(value, functools.partial):
        return [(".func", value.func), (".args", value.args), (".keywords", value.keywords)]
    if isinstance(value, types.FunctionType):
        return _parts_of_function(value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return [(f".{field.name}", getattr(value, field.name, None)) for field in dataclasses.fields(value)]
    return None


def _parts_of_function(function):
    if (function.__module__ or "").split(".")[0] == "torch":
        return None
    seen = inspect.getclosurevars(function)
    containers = (torch.Tensor, torch.nn.Module, list, dict, set)
    closed = [(f".{name}", each) for name, each in seen.nonlocals.items()]
    return closed + [(f".{name}", each) for name, each in seen.globals.items() if isinstance(each, containers)]


def _walk(value, place, found, seen):
    if id(value) in seen:
        return
    if isinstance(value, torch.Tensor):
        seen.add(id(value))
        found[place] = value
        return
    inner = parts(value)
    if inner:
        seen.add(id(value))
        for suffix, each in inner:
            _walk(each, place + suffix, found, seen)
