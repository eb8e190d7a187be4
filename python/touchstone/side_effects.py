"""Would a second, eager run of a program change something that the first run's owner sees?

Tensors, modules, containers and objects that a program is given or closes over are copied, so writes to them are harmless.
What is found here are writes that no copy catches. Where the code does not tell, the answer is that it may.
"""

import dis
import functools
import inspect
import types

import torch

from touchstone.sources import is_installed

_ASKS = {"is_compiling", "is_dynamo_compiling", "is_exporting"}
_ACTS = {"open", "exec", "eval", "input", "exit", "breakpoint", "graph_break_count"}
_MUTATES = {"append", "extend", "add", "update", "pop", "insert", "clear", "remove", "setdefault", "discard", "popitem", "appendleft"}
_COPIED = (torch.Tensor, torch.nn.Module)
_CONTAINERS = (list, dict, set)
_HARMLESS = (int, float, bool, str, bytes, complex, type(None), tuple, frozenset, type, types.ModuleType, types.BuiltinFunctionType,
             types.MethodDescriptorType, types.GenericAlias, torch.dtype, torch.device, torch.layout, torch.memory_format)
_DEPTH = 4


def why_not_twice(program):
    """Why an uncompiled second run of `program` may be seen from outside, in a few words; "" where it cannot."""
    seen = set()
    modules = _modules_of(program)
    for module in modules:
        for function in _hooks_of(module):
            reason = _reason(function, seen, _DEPTH, copies=False)
            if reason:
                return f"a hook {reason}"
        reason = _reason(type(module).forward, seen, _DEPTH, copies=False, owner=type(module))
        if reason:
            return reason
    function = _function_of(program)
    return _reason(function, seen, _DEPTH, copies=True) if function is not None else "" if modules else "has no Python code"


def _function_of(program):
    if isinstance(program, functools.partial):
        return _function_of(program.func)
    if isinstance(program, types.MethodType):
        return None if isinstance(program.__self__, torch.nn.Module) and program.__name__ == "_call_impl" else program.__func__
    return program if isinstance(program, types.FunctionType) else None


def _modules_of(program):
    program = program.func if isinstance(program, functools.partial) else program
    program = program.__self__ if isinstance(program, types.MethodType) else program
    if isinstance(program, torch.nn.Module):
        return list(program.modules())
    if isinstance(program, types.FunctionType):
        read = inspect.getclosurevars(program)
        return [inner for each in [*read.nonlocals.values(), *read.globals.values()] if isinstance(each, torch.nn.Module) for inner in each.modules()]
    return []


def _hooks_of(module):
    tables = (module._forward_hooks, module._forward_pre_hooks, module._backward_hooks, module._backward_pre_hooks)
    hooks = [hook for table in tables for hook in table.values()]
    return [hook for hook in map(_function_of, hooks) if hook is not None]


def _reason(function, seen, depth, copies, owner=None):
    if not isinstance(function, types.FunctionType) or function in seen or not depth:
        return ""
    if is_installed(function):  # what a package keeps for itself, such as a cache, is not the suite's
        return ""
    seen.add(function)
    facts = _facts(function.__code__)
    if facts.reason:
        return facts.reason
    read = {name: function.__globals__[name] for name in facts.globals if name in function.__globals__}
    closed = _closed(function)
    for name, value in read.items():
        if isinstance(value, _CONTAINERS) and not copies and facts.mutates:
            return f"may write to the global {name}"
        if not _is_harmless(value) and not isinstance(value, _CONTAINERS):
            return f"reads the object {name}"
    for name, value in closed.items():
        if not _is_harmless(value) and not isinstance(value, _CONTAINERS):
            return f"closes over the object {name}"
    methods = [getattr(owner, name, None) for name in facts.attributes] if owner else []
    for callee in [*read.values(), *closed.values(), *methods]:
        callee = _function_of(callee) if not isinstance(callee, type) else None
        reason = _reason(callee, seen, depth - 1, copies=False, owner=owner if callee in methods else None)
        if reason:
            return reason
    return ""


def _closed(function):
    closed = {}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or ()):
        try:
            closed[name] = cell.cell_contents
        except ValueError:
            pass
    return closed


def _is_library(value):
    return (getattr(value, "__module__", None) or "").split(".")[0] in ("torch", "builtins", "typing", "math", "enum", "numpy", "collections")


def _is_harmless(value):
    if isinstance(value, (*_COPIED, *_HARMLESS, types.FunctionType)) or _is_library(type(value)) and callable(value):
        return True
    if isinstance(value, (types.MethodType, functools.partial)):
        return _is_harmless(value.__self__ if isinstance(value, types.MethodType) else value.func)
    return _is_library(type(value)) and type(value).__module__.split(".")[0] in ("torch", "typing", "enum")


class _Facts:
    def __init__(self):
        self.reason = ""
        self.globals, self.attributes = set(), set()
        self.mutates = False


@functools.lru_cache(maxsize=None)
def _facts(code):
    """What a code object and those inside it do, by their instructions."""
    facts = _Facts()
    _read(code, facts, frozenset(code.co_freevars))
    return facts


def _read(code, facts, outer):
    instructions = list(dis.get_instructions(code))
    for number, each in enumerate(instructions):
        name = each.argval
        if each.opname in ("STORE_GLOBAL", "DELETE_GLOBAL"):
            facts.reason = facts.reason or f"writes the global {name}"
        elif each.opname in ("STORE_DEREF", "DELETE_DEREF") and name in outer:
            facts.reason = facts.reason or f"writes the variable {name} of an enclosing function"
        elif each.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
            facts.globals.add(name)
            if name in _ACTS:
                facts.reason = facts.reason or f"calls {name}"
        elif each.opname in ("LOAD_ATTR", "LOAD_METHOD"):
            facts.attributes.add(name)
            facts.mutates |= name in _MUTATES
        elif each.opname in ("STORE_SUBSCR", "DELETE_SUBSCR"):
            facts.mutates = True
        elif each.opname in ("STORE_ATTR", "DELETE_ATTR"):
            root = _root(instructions, number)
            if root:
                facts.reason = facts.reason or f"writes an attribute of the global {root}"
        if name in _ASKS and each.opname in ("LOAD_ATTR", "LOAD_METHOD", "LOAD_GLOBAL"):
            facts.reason = facts.reason or "asks whether it is compiled"
    for each in code.co_consts:
        if isinstance(each, types.CodeType):
            _read(each, facts, outer)


def _root(instructions, number):
    """The global whose attribute is stored to, or ""."""
    for each in reversed(instructions[:number]):
        if each.opname == "LOAD_GLOBAL":
            return each.argval
        if each.opname not in ("LOAD_ATTR", "LOAD_METHOD"):
            return ""
    return ""
