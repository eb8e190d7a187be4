"""A Program's functions, defined from their text and compiled by one backend."""

import builtins
import contextlib
import gc
import linecache
import os
import random
import sys
import types

import torch
import torch._dynamo
from torch._dynamo import symbolic_convert
from torch.fx import graph_module

from . import custom_operators, delegation, evidence, faults, flags, imports, inductor_builds, settings
from .aot_function import AotFunctionCalls

# Compiled without Inductor, so without its caches; a backend of one's own may stand on it.
_WITHOUT_INDUCTOR = (
    "eager_python",
    "eager",
    "aot_function",
    "aot_eager_default_partitioner",
    "aot_eager",
    "aot_eager_decomp_partition",
)


def _is_without_inductor(backend):
    return backend in _WITHOUT_INDUCTOR or faults.is_fault(backend)


_PROGRAMS_A_COLLECTION = 16

# One name for all Cases: PyTorch keeps tables by file name, which would grow with every Case otherwise.
_FILE = "case.py"


# What no text may have, whatever it is called there. Dynamo looks here for what code of PyTorch's needs that it inlines, `getattr` and
# the like.
_WITHHELD = frozenset("breakpoint compile copyright credits eval exec exit help input license open quit".split())
_IMPORTED = frozenset("collections dataclasses functools random torch typing".split())


def _import_listed(name, *args):
    if name.partition(".")[0] not in _IMPORTED:
        raise ImportError(f"{name} is not for case files")
    return __import__(name, *args)


_BUILTINS = {name: value for name, value in vars(builtins).items() if name not in _WITHHELD} | {"__import__": _import_listed}


# Where Dynamo looks for the variables of functions that code of PyTorch's has been given.
_MODULE = "case"


def _make_current(module):
    """Control flow that is not compiled itself compiles its functions, and keeps the module in which it has found their variables."""
    if sys.modules.get(_MODULE) is module:
        return
    sys.modules[_MODULE] = module
    symbolic_convert._import_module.cache_clear()
    for name, each in list(sys.modules.items()):
        if name.startswith("torch."):
            vars(each).pop(f"__import_{_MODULE}", None)


def define(source, needs_python=False):
    """A module with the case file's functions; `linecache` knows the text, as Dynamo asks for it."""
    linecache.cache[_FILE] = (len(source), None, source.splitlines(keepends=True), _FILE)
    module = types.ModuleType(_MODULE)
    _make_current(module)
    namespace = vars(module)
    namespace["torch"] = torch
    if needs_python:
        namespace["__builtins__"] = dict(_BUILTINS)
    custom_operators.run(source, _FILE, namespace)
    return module


def attribute_of(path):
    """What `package.module:attribute` names."""
    module, _, attribute = path.partition(":")
    if os.getcwd() not in sys.path:
        sys.path.append(os.getcwd())
    owner, name = imports.named(module, attribute)
    return getattr(owner, name)


_closed = 0


def _collect_at_times():
    """A collection takes as long as several calls, and a few Programs' garbage is little."""
    global _closed
    _closed += 1
    if _closed % _PROGRAMS_A_COLLECTION == 0:
        gc.collect()


class Program:
    """What the C++ side holds: `backend` is the name after `torch:`."""

    def __init__(
        self,
        source,
        backend,
        dynamic,
        fullgraph,
        options,
        given_flags="{}",
        keeps_stages=False,
        keeps_calls=False,
        served=None,
        needs_python=False,
    ):
        self._backend = backend
        self._needs_python = needs_python
        self._compiles_inside = needs_python and "torch.compile(" in source
        self._flags = flags.Flags(eval(given_flags))
        self._dynamic = dynamic
        self._fullgraph = fullgraph
        self._options = options
        self._scope = contextlib.ExitStack()
        self._evidence = evidence.Evidence()
        self._evidence.delegation = delegation.watch_for(backend)
        self._keeper = None
        if keeps_stages:
            from . import stages

            self._keeper = stages.Keeper(keeps_calls)
            stages.keep_in(self._keeper)
            self._scope.callback(stages.keep_in, None)
        self._watch = None
        self._known_sources = frozenset(linecache.cache)
        if backend != "eager_python":  # which is made while others live, and compiles nothing
            torch._dynamo.reset()
        if not _is_without_inductor(backend):
            from torch._inductor.utils import fresh_cache

            inductor_builds.install()
            inductor_builds.forget()

            self._scope.enter_context(fresh_cache())
        self._source = source
        self._module = define(source, needs_python)
        self._namespace = vars(self._module)
        custom_operators.hold(source, self._namespace)
        self._others = {}
        # A Program with a device of its own sets it as the default one when it is defined.
        self._device = torch.get_default_device()
        torch.set_default_device(None)
        self._compiled = self._compile()
        if served is not None:
            from . import served_calls

            self._watch = served_calls.Watch(by_graphs=served == "graphs")
            served_calls.watch_by(self._watch)
            self._scope.callback(served_calls.watch_by, None)

    def _compile(self, namespace=None):
        with self._flags.on():
            return self._compiled_by_backend(namespace)

    def _compiled_by_backend(self, namespace):
        program = (namespace or self._namespace)["program"]
        if self._backend == "eager_python":
            return program
        if self._backend == "aot_function":
            return AotFunctionCalls(program, self._evidence)
        return self._torch_compile(program, self._dynamic)

    def _torch_compile(self, function, dynamic):
        options = eval(self._options, {"torch": torch}) if self._options else None
        if self._backend == faults.BITE_SEARCH:
            from .faults import bites

            return bites.compile_program(function, dynamic, self._fullgraph, options, self._evidence.bites)
        if faults.is_fault(self._backend):
            from .faults import compilers

            return compilers.compile_with_fault(function, self._backend, dynamic, self._fullgraph, options)
        backend = attribute_of(self._backend) if ":" in self._backend else self._backend
        return torch.compile(function, backend=backend, dynamic=dynamic, fullgraph=self._fullgraph, options=options)

    def functions(self):
        """By their names in the file."""
        return self._namespace

    def call(self, arguments):
        return self._call(self._compiled, arguments)

    def call_instance(self, number, arguments):
        """The same Program compiled for itself: Dynamo keeps what it has compiled by code object, so that these are others."""
        if number not in self._others:
            module = define(self._source, self._needs_python)
            torch.set_default_device(None)
            self._others[number] = module, self._compile(vars(module))
        module, compiled = self._others[number]
        return self._call(compiled, arguments, module)

    def call_function(self, name, arguments):
        """Another function of the file, as it is."""
        return self._on_device(self._namespace[name], arguments, plain=True)

    def _call(self, compiled, arguments, module=None):
        evidence.attribute_to(self._evidence)
        _make_current(module or self._module)
        if self._compiles_inside and self._backend == "eager_python":
            with torch.compiler.set_stance("force_eager"):  # also what the Program compiles itself
                return self._on_device(compiled, arguments)
        return self._on_device(compiled, arguments)

    def _on_device(self, compiled, arguments, plain=False):
        if self._needs_python:
            random.seed(torch.initial_seed())  # which the call has set
        run = self._run_plainly if plain else self._run
        if self._device.type == "cpu":
            return run(compiled, arguments)
        torch.set_default_device(self._device)
        try:
            return run(compiled, arguments)
        finally:
            torch.set_default_device(None)

    def _run_plainly(self, function, arguments):
        return function(*arguments)

    def _run(self, compiled, arguments):
        with self._flags.on():
            return self._run_with_flags(compiled, arguments)

    def _run_with_flags(self, compiled, arguments):
        return compiled(*arguments) if self._watch is None else self._watch.call(compiled, arguments, self._has_breaks)

    def _has_breaks(self):
        self._evidence.collect()
        return bool(self._evidence.breaks)

    def report(self):
        found = self._evidence
        if evidence.is_current(found):
            found.collect()
        return (
            found.frames,
            found.graphs,
            found.operations,
            found.runs,
            found.breaks,
            found.recompiles,
            found.guards,
            found.seconds,
            found.bites,
            found.symbols,
        )

    def delegation(self):
        watch = self._evidence.delegation
        return watch.report() if watch else ("", [])

    def stages(self):
        return self._keeper.report()

    def stage_calls(self):
        return self._keeper.log.report(self._keeper.frames)

    def served_calls(self):
        return self._watch.placed, self._watch.codes, self._watch.around

    def reset(self):
        torch._dynamo.reset()
        if not _is_without_inductor(self._backend):
            from torch._inductor.codecache import PyCodeCache

            PyCodeCache.cache_clear()
        self._compiled = self._compile()
        self._others = {}

    def compiled_autograd(self):
        """An open scope with `close()`, or None when this backend has no compiled autograd."""
        if self._backend in ("eager_python", "aot_function"):
            return None
        scope = contextlib.ExitStack()
        compile_backward = lambda graph: self._torch_compile(graph, self._dynamic)
        scope.enter_context(torch._dynamo.compiled_autograd._enable(compile_backward, dynamic=self._dynamic is not False))
        return scope

    def backward_scope(self):
        """An open scope with `close()` for a backward, or None when it needs none."""
        return self._flags.on() if self._flags else None

    def close(self):
        """Lets go of everything, so that a process can take thousands of Cases."""
        evidence.forget(self._evidence)
        self._compiled = None
        self._others = {}
        self._namespace = None
        self._module = None
        sys.modules.pop(_MODULE, None)
        # The sources of generated code, which PyTorch keeps for tracebacks.
        for name in linecache.cache.keys() - self._known_sources:
            if name.startswith("<"):
                linecache.cache.pop(name, None)
                graph_module._loader.eval_cache.pop(name, None)
        if self._backend != "eager_python":
            torch._dynamo.reset()
        custom_operators.release(self._source)
        self._scope.close()
        _collect_at_times()
