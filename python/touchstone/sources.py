"""The source of functions and classes, with what they read, as one piece of text."""

import ast
import builtins
import functools
import inspect
import sys
import sysconfig
import textwrap
import types

import torch

from touchstone.copies import names_of

_STATE = (torch.Tensor, torch.nn.Module, list, dict, set)
_LITERAL = (int, float, bool, str, bytes, type(None), complex, tuple)


class Sources:
    """Collects definitions. Functions and classes of installed packages are imported; others are written out with the globals
    that they read. What holds tensors is the caller's to write: see `state_of`."""

    def __init__(self):
        self._imports, self._definitions = [], {}
        self._modules = []

    def text(self):
        """The import statements and definitions, each definition after those that it was found from."""
        lines = [f"sys.modules.setdefault({name!r}, sys.modules[__name__])  # where pickled objects look for their classes" for name in self._modules]
        return "".join(f"{each}\n" for each in dict.fromkeys(self._imports)) + "".join(f"\n\n{each}" for each in self._definitions.values()) + "\n" + "\n".join(lines)

    def add(self, function):
        """Adds a function or class and what it reads; gives the name by which it is called. Raises ValueError."""
        name = function.__name__ if function.__name__ != "<lambda>" else f"function_{len(self._definitions)}"
        if id(function) in self._definitions:
            return name
        if is_installed(function):
            if "." in function.__qualname__ or "<" in function.__qualname__:
                raise ValueError(f"{function.__module__}.{function.__qualname__} can be neither imported nor written.")
            self._imports.append(f"from {function.__module__} import {name}")
            return name
        self._definitions[id(function)] = ""  # its place, also for what refers back to it
        text = _statement(function, name)
        if isinstance(function, type):
            self._add_bases(function)
            for each in vars(function).values():
                if isinstance(each, types.FunctionType):
                    self._add_names(each)
        else:
            self._add_names(function)
        self._definitions[id(function)] = self._definitions.pop(id(function)) or text
        return name

    def add_classes_of(self, value):
        """Adds the classes of an object that is pickled, and of the modules inside it."""
        modules = value.modules() if isinstance(value, torch.nn.Module) else [value]
        for each in modules:
            if not is_installed(type(each)):
                self.add(type(each))
                if type(each).__module__ not in self._modules:
                    self._modules.append(type(each).__module__)

    def state_of(self, function):
        """By name: what the function closes over, and its globals that hold tensors; the file must define them."""
        read = inspect.getclosurevars(function)
        closed = {name: each for name, each in read.nonlocals.items() if not isinstance(each, types.ModuleType)}
        return closed | {name: each for name, each in read.globals.items() if isinstance(each, _STATE)}

    def _add_bases(self, cls):
        for base in cls.__bases__:
            if base is not object and not is_installed(base):
                self.add(base)
            elif base is not object:
                self._name(base.__name__, base)
                module = sys.modules[cls.__module__]
                for name, each in vars(module).items():
                    if isinstance(each, types.ModuleType) and each.__name__.split(".")[0] == "torch":
                        self._name(name, each)

    def _add_names(self, function):
        names = names_of(function.__code__)
        found = {name: function.__globals__[name] for name in names if name in function.__globals__}
        if function.__closure__:
            found |= {name: each for name, each in inspect.getclosurevars(function).nonlocals.items() if isinstance(each, types.ModuleType)}
        for name, each in found.items():
            self._name(name, each)

    def _name(self, name, value):
        if isinstance(value, types.ModuleType):
            self._imports.append(f"import {value.__name__} as {name}" if value.__name__ != name else f"import {name}")
        elif isinstance(value, (types.FunctionType, type)):
            own = self.add(value)
            if own != name:
                self._definitions[name] = f"{name} = {own}\n"
        elif isinstance(value, (types.BuiltinFunctionType, functools.partial)) or hasattr(builtins, name):
            module = getattr(value, "__module__", None)
            if module and getattr(sys.modules.get(module), getattr(value, "__name__", ""), None) is value:
                self._imports.append(f"from {module} import {value.__name__} as {name}")
        elif isinstance(value, _LITERAL):
            self._definitions[name] = f"{name} = {value!r}\n"
        elif isinstance(value, (torch.dtype, torch.device)):
            self._definitions[name] = f"{name} = torch.{value!r}\n".replace("torch.torch", "torch")
        elif not isinstance(value, _STATE):
            raise ValueError(f"The global {name}, a {type(value).__name__}, cannot be written.")


def is_installed(thing):
    """Whether a function or class is of the standard library or an installed package."""
    module = sys.modules.get(thing.__module__ or "")
    if module is None or thing.__module__ == "__main__":
        return False
    file = getattr(module, "__file__", None)
    return file is None or file.startswith((sysconfig.get_path("stdlib"), *_site_packages()))


def _site_packages():
    return {entry for entry in sys.path if entry.endswith(("site-packages", "dist-packages"))} | {torch.__file__.rsplit("/torch/", 1)[0]}


def _statement(thing, name):
    """The source as a top-level statement that defines `name`; a lambda is found in the statement that holds it."""
    try:
        text = textwrap.dedent(inspect.getsource(thing))
    except (OSError, TypeError) as error:
        raise ValueError(f"The source of {thing.__qualname__} cannot be had: {error}") from error
    if getattr(thing, "__name__", "") == "<lambda>":
        return f"{name} = {_lambda(text, thing)}\n"
    try:
        tree = ast.parse(text).body[0]
    except SyntaxError as error:
        raise ValueError(f"The source of {thing.__qualname__} cannot be read alone: {error}") from error
    if "super" in getattr(getattr(thing, "__code__", None), "co_names", ()) and "__class__" in thing.__code__.co_freevars:
        raise ValueError(f"{thing.__qualname__} calls super() and cannot be written outside its class.")
    if not isinstance(thing, type):
        tree.decorator_list = []
        values = tree.args
        for side in (values.defaults, values.kw_defaults):  # what is drawn for a property; the arguments are all given
            side[:] = [each if each is None or isinstance(each, ast.Constant) else ast.Constant(None) for each in side]
    return ast.unparse(tree) + "\n"


def _lambda(text, thing):
    """The one lambda of the text that has this one's names and constants."""
    found = {}
    for start in range(len(text)):
        if not text.startswith("lambda", start):
            continue
        tree = next(filter(None, (_lambda_of(text[start:end]) for end in range(len(text), start, -1))), None)
        if tree is not None and _facts(compile(tree, "lambda", "eval").co_consts[0]) == _facts(thing.__code__):
            found[ast.unparse(tree)] = tree
    if len(found) != 1:
        raise ValueError("The source of a lambda cannot be told from its line.")
    return next(iter(found))


def _lambda_of(text):
    try:
        tree = ast.parse(text.strip(), mode="eval")
    except (SyntaxError, ValueError):
        return None
    return tree if isinstance(tree.body, ast.Lambda) else None


def _facts(code):
    # A name that an enclosing function has is a free variable there and a global here; and the compiler's choice of
    # instructions depends on what surrounds a function.
    constants = [_facts(each) if isinstance(each, types.CodeType) else repr(each) for each in code.co_consts if each is not None]
    return sorted(code.co_names + code.co_freevars), code.co_varnames, constants
