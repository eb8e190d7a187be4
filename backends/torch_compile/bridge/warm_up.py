"""Small compiles that every Case would pay for otherwise: PyTorch imports and fills tables when it first compiles. A backend of one's own
may not get through them; then it starts with less."""

import functools
import importlib
import os
import select
import signal

import torch
from torch._dynamo.backends.registry import lookup_backend

from . import faults
from .faults import table
from .programs import Program, attribute_of

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


_PURE_SOURCE = """
def program(x, w, n):
    y = torch.mm(x, w)
    return y.t()[1:].sin(), y.sum()
"""
# What a backend of one's own starts with, the most first: what it is called, the sources, and whether gradients are asked for.
_FORMS = (
    ("gradients, writes to arguments and a graph break", (_SOURCE, _BROKEN_SOURCE), True),
    ("writes to arguments and a graph break, without gradients", (_SOURCE, _BROKEN_SOURCE), False),
    ("values alone", (_PURE_SOURCE,), False),
)
_SECONDS = 120  # for a form, in a process of its own


def _run(source, backend, has_gradients=True):
    program = Program(source, backend, False, False, "")
    for _ in range(2):
        with torch.set_grad_enabled(has_gradients):
            results = program.call((torch.ones(3, 3), torch.ones(3, 3, requires_grad=has_gradients), 2))
            if has_gradients:
                results[0].sum().backward()
    program.report()
    program.close()


def import_compilers():
    for module in ("torch._dynamo.convert_frame", "torch._functorch.aot_autograd", "torch._inductor.compile_fx"):
        importlib.import_module(module)


def look_up(backend):
    """Raises what torch.compile would raise for a name that nobody registered; imports what the first compile would."""
    import_compilers()
    if ":" in backend:
        attribute_of(backend)
    elif backend not in ("eager_python", "aot_function"):
        lookup_backend(backend)


def warm_up(backend, is_own):
    """Of a backend of one's own, what it did not get through, a sentence each; of another one nothing: it raises."""
    if is_own:
        return _warm_up_own(backend)
    if faults.is_fault(backend):
        _warm_up_below(faults.rung_of(backend))
        return []
    _run(_SOURCE, backend)
    if backend != "aot_function":
        _run(_BROKEN_SOURCE, backend)
    return []


def _warm_up_own(backend):
    look_up(backend)
    is_apart = "TOUCHSTONE_STARTS_APART" in os.environ  # another worker has died of it
    failures = []
    for name, sources, has_gradients in _FORMS:
        run = lambda: [_run(source, backend, has_gradients) for source in sources]
        trouble = (_tried_apart(run) if is_apart else "") or _tried(run)
        if not trouble:
            return failures
        failures.append(f"The small program that workers start with fails with {name}: {trouble}")
    return [*failures, "Nothing is compiled before the first Case."]


def _tried(run):
    """Empty where `run()` returns."""
    try:
        run()
    except BaseException as error:
        return " ".join(f"{type(error).__name__}: {error}".split())[:300]
    return ""


def _tried_apart(run):
    """The same in a forked process: what ends the process is told, too."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        os.write(writer, (_tried(run) or "returned").encode())
        os._exit(0)
    os.close(writer)
    ready, _, _ = select.select([reader], [], [], _SECONDS)
    text = os.read(reader, 4096).decode() if ready else ""
    os.close(reader)
    if not ready:
        os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    if not ready:
        return f"it takes longer than {_SECONDS} seconds"
    if not text:
        return f"it ends the process ({signal.Signals(os.WTERMSIG(status)).name if os.WIFSIGNALED(status) else 'exit'})"
    return "" if text == "returned" else text


@functools.cache
def _warm_up_below(rung):
    """What a planted fault stands on, once a process: a fault may hang on how many calls there were before."""
    importlib.import_module(f"{faults.__name__}.compilers")
    table.all_faults()
    warm_up(rung, False)
