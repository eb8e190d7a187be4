"""Compiles what a suite calls, by its name, for suites that do not call `torch.compile` themselves."""

import contextlib
import fnmatch
import functools
import importlib
import inspect

import torch

from touchstone.shadowing import mode_in_the_way

_RECOMPILATIONS = 1000


class Compiling:
    """While installed, calls of the named functions and modules go through `torch.compile`.

    functions: `PACKAGE.MODULE.NAME` where the suite reads them; NAME may be a shell pattern, which takes the public functions
        of that package. What the package calls inside itself stays as it is.
    modules: packages; each nn.Module whose class they define is compiled where it is called outside of a compiled call.
    backend: what `torch.compile` takes.
    """

    def __init__(self, functions, modules, backend):
        self._functions, self._packages, self._backend = functions, tuple(modules), backend
        self._replaced = []  # (object, name, what stood there, what stands there now)
        self._file = None
        self._compiled = {}  # by id: what is compiled of a module, which keeps the module

    def install(self):
        """Puts wrappers in the places of the functions and of `nn.Module.__call__`. Raises ValueError for a name of nothing.

        Where anything is named, Dynamo's limit of recompilations, beyond which calls are not compiled, is raised.
        """
        for name in self._functions:
            self._replace_functions(name)
        if self._packages:
            self._replace(torch.nn.Module, "__call__", self._module_call(torch.nn.Module.__call__))
        for limit in ("recompile_limit", "accumulated_recompile_limit") if self._replaced else ():
            self._replace(torch._dynamo.config, limit, _RECOMPILATIONS)

    def uninstall(self):
        """Puts everything back."""
        for place, name, original, _ in self._replaced:
            setattr(place, name, original)
        self._replaced.clear()

    def start_test(self, file):
        """Forgets the modules of the test before, and with a new file of tests all that was compiled: the code that calls a
        module is the same for all modules, so that each call looks through what was compiled of the others."""
        self._compiled.clear()
        if self._replaced and file != self._file:
            torch._dynamo.reset()
        self._file = file

    @contextlib.contextmanager
    def paused(self):
        """While it lasts, `nn.Module.__call__` is PyTorch's own, which Dynamo asks about."""
        mine = [each for each in self._replaced if each[0] is torch.nn.Module and torch.nn.Module.__call__ is each[3]]
        for place, name, original, _ in mine:
            setattr(place, name, original)
        try:
            yield
        finally:
            for place, name, _, replacement in mine:
                setattr(place, name, replacement)

    def _replace(self, place, name, replacement):
        self._replaced.append((place, name, getattr(place, name), replacement))
        setattr(place, name, replacement)

    def _replace_functions(self, name):
        home, _, pattern = name.rpartition(".")
        try:
            package = importlib.import_module(home)
        except (ImportError, ValueError) as error:
            raise ValueError(f"{name}: {error}") from error
        named = [key for key, each in vars(package).items() if fnmatch.fnmatchcase(key, pattern) and _is_own(each, home, key, pattern)]
        if not named:
            raise ValueError(f"{name} names no function.")
        for key in named:
            self._replace(package, key, self._function_call(getattr(package, key)))

    def _function_call(self, function):
        @functools.wraps(function)
        def call(*arguments, **keywords):
            if _is_left_alone():
                return function(*arguments, **keywords)
            if not compiled:
                compiled.append(torch.compile(function, backend=self._backend))
            return compiled[0](*arguments, **keywords)

        compiled = []
        call.__prepare_scriptable__ = lambda: function  # what torch.jit.script takes
        return call

    def _module_call(self, original):
        @functools.wraps(original)
        def call(module, *arguments, **keywords):
            if not self._is_named(type(module)) or module._compiled_call_impl is not None or _is_left_alone():
                return original(module, *arguments, **keywords)
            compiled = self._compiled.get(id(module))
            if compiled is None:
                compiled = self._compiled[id(module)] = torch.compile(module._call_impl, backend=self._backend)
            return compiled(*arguments, **keywords)

        return call

    def _is_named(self, kind):
        home = kind.__module__
        return any(home == package or home.startswith(package + ".") for package in self._packages)


def _is_left_alone():
    return torch.compiler.is_compiling() or torch.jit.is_tracing() or bool(mode_in_the_way())


def _is_own(value, home, key, pattern):
    if not inspect.isfunction(value) or inspect.isgeneratorfunction(value) or inspect.iscoroutinefunction(value):
        return False
    return key == pattern or not key.startswith("_") and value.__module__.split(".")[0] == home.split(".")[0]
