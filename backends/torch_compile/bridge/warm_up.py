"""Small compiles that every Case would pay for otherwise: PyTorch imports and fills tables when it first compiles."""

import functools
import importlib

import torch
from torch._dynamo.backends.registry import lookup_backend

from . import faults
from .faults import table
from .programs import Program

_SOURCE = '''
def program(x, w, n):
    y = torch.mm(x.clone(), w)
    x.add_(1)
    z = y.t()[1:].sin() * n
    return y, z, x.view(-1), z.sum()
'''
_BROKEN_SOURCE = '''
def program(x, w, n):
    y = x * w
    torch._dynamo.graph_break()
    return y.relu(), x.size(0)
'''


def _arguments():
    return torch.ones(3, 3), torch.ones(3, 3, requires_grad=True), 2


def _run(source, backend):
    program = Program(source, backend, False, False, "")
    for _ in range(2):
        with torch.enable_grad():
            results = program.call(_arguments())
            results[0].sum().backward()
    program.report()
    program.close()


def look_up(backend):
    """Raises what torch.compile would raise for a name that nobody registered; imports what the first compile would."""
    for module in ("torch._dynamo.convert_frame", "torch._functorch.aot_autograd", "torch._inductor.compile_fx"):
        importlib.import_module(module)
    if ":" not in backend and backend not in ("eager_python", "aot_function"):
        lookup_backend(backend)


def warm_up(backend):
    if faults.is_fault(backend):
        _warm_up_below(faults.rung_of(backend))
        return
    _run(_SOURCE, backend)
    if backend != "aot_function":
        _run(_BROKEN_SOURCE, backend)


@functools.cache
def _warm_up_below(rung):
    """What a planted fault stands on, once a process: a fault may hang on how many calls there were before."""
    importlib.import_module(f"{faults.__name__}.compilers")
    table.all_faults()
    warm_up(rung)
