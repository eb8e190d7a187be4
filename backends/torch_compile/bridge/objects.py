"""What can be seen of an object that the C++ side knows by its handle alone: tensors, numbers and texts by path, always in the same order."""

import collections
import hashlib
import numbers
import types

import torch

_PLAIN = (bool, int, float, complex, str, type(None), torch.dtype, torch.device, torch.layout, torch.memory_format, torch.Size)
_OWN_ATTRIBUTES = frozenset(vars(torch.nn.Module()))
# Of these the name alone is told.
_CODE = (type, types.FunctionType, types.BuiltinFunctionType, types.MethodType, types.ModuleType)


def class_name(value):
    return type(value).__name__


def parts(value):
    """[(path, tensor or plain value)]"""
    found = []
    _read(value, "", found, {})
    return found


def _below(path, name):
    return f"{path}.{name}" if path else str(name)


def _is_wrapper(value):
    return torch._C._dispatch_keys(value).has(torch._C.DispatchKey.Python)


def _read(value, path, found, seen):
    if isinstance(value, torch.Tensor) and not _is_wrapper(value):
        found.append((path, value))
    elif type(value) in _PLAIN:
        found.append((path, value))
    elif id(value) in seen:
        found.append((path, f"the object at {seen[id(value)] or 'the top'}"))
    else:
        seen[id(value)] = path
        if path:
            found.append((_below(path, "class"), class_name(value)))
        _read_inside(value, path, found, seen)


def _read_inside(value, path, found, seen):
    for name, part in _inside(value):
        _read(part, _below(path, name), found, seen)


def _inside(value):
    """(name, part) of one object, in the order in which it was made."""
    if isinstance(value, torch.Tensor):
        return _inside_wrapper(value)
    if isinstance(value, dict):
        return [(_key(key), part) for key, part in value.items()]
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return list(zip(value._fields, value))
    if isinstance(value, (list, tuple, collections.deque)):
        return list(enumerate(value))
    if isinstance(value, (set, frozenset)):
        return list(enumerate(sorted(value, key=repr)))
    if isinstance(value, torch.nn.Module):
        return _inside_module(value)
    if isinstance(value, torch.optim.Optimizer):
        groups = [(f"group{i}", dict(group)) for i, group in enumerate(value.param_groups)]
        params = [p for group in value.param_groups for p in group["params"]]
        return groups + [(f"state{i}", dict(value.state[p])) for i, p in enumerate(params) if p in value.state]
    if isinstance(value, torch.Generator):
        state = value.get_state().numpy().tobytes()
        return [("state", hashlib.sha256(state).hexdigest()[:16])]
    if isinstance(value, _CODE):
        return [("name", getattr(value, "__name__", ""))]
    if isinstance(value, BaseException):
        return [("message", str(value))]
    if isinstance(value, numbers.Number):
        return [("value", repr(value))]
    return [(name, part) for name, part in getattr(value, "__dict__", {}).items() if not name.startswith("_")]


def _key(key):
    return key if isinstance(key, (str, int)) else type(key).__name__


def _inside_module(module):
    fields = list(module._parameters.items()) + list(module._buffers.items())
    fields += [(name, part) for name, part in vars(module).items() if name not in _OWN_ATTRIBUTES and not name.startswith("_")]
    return [("training", module.training)] + fields + list(module._modules.items())


def _inside_wrapper(value):
    shown = [("shape", tuple(_plain(size) for size in value.shape)), ("dtype", value.dtype), ("requires_grad", value.requires_grad)]
    if hasattr(value, "__tensor_flatten__"):
        names, _ = value.__tensor_flatten__()
        return shown + [(name, getattr(value, name)) for name in names]
    return shown + [(name, part) for name, part in vars(value).items() if not name.startswith("_")]


def _plain(size):
    return size if type(size) is int else "symbol"
