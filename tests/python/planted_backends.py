"""Backends that each plant one difference from eager: `torch:planted_backends:NAME`, NAME being the observed property.

Most of them change what the graph computes, as a wrong compiler would. What a graph's outputs cannot say (how results are
nested, numbers among them, a compile too many) is planted around the function that `torch.compile` gives.

A worker warms its backends up with tensors of 3 x 3: those are served honestly.
"""

import functools
import os
import signal

import torch

_torch_compile = torch.compile


@functools.wraps(_torch_compile)
def _compile(function=None, *arguments, backend="inductor", **keywords):
    compiled = _torch_compile(function, *arguments, backend=backend, **keywords)
    around = getattr(backend, "around", None)
    return compiled if around is None or function is None else around(compiled)


torch.compile = _compile


def _warms_up(arguments):
    return any(isinstance(each, torch.Tensor) and each.shape == (3, 3) for each in arguments)


def honest(graph_module, _):
    return graph_module.forward


def _running(run):
    """A backend that calls `run(forward, *arguments)` in place of its graph's forward."""

    def backend(graph_module, _):
        forward = graph_module.forward
        return lambda *arguments: forward(*arguments) if _warms_up(arguments) else run(forward, *arguments)

    return backend


def _on_outputs(change):
    """A backend whose graphs return `change` of each tensor that they ought to return."""

    def run(forward, *arguments):
        return tuple(change(each) if isinstance(each, torch.Tensor) else each for each in forward(*arguments))

    return _running(run)


def _afterwards(change):
    """A backend that calls `change` with the graph's arguments and outputs when it has run."""

    def run(forward, *arguments):
        returned = forward(*arguments)
        change(arguments, returned)
        return returned

    return _running(run)


def _around(change):
    """An honest backend, and `change(compiled, *arguments)` in place of a call of the compiled function."""

    def backend(graph_module, _):
        return graph_module.forward

    backend.around = lambda compiled: (
        lambda *arguments: compiled(*arguments) if _warms_up(arguments) else change(compiled, *arguments)
    )
    return backend


def _with_offset(tensor):
    room = torch.zeros(tensor.numel() + 1, dtype=tensor.dtype)
    return room.as_strided(tensor.shape, tensor.stride(), 1).copy_(tensor)


def _poisoned(tensor):
    """The same values; reading grad_fn raises, as the base of this view was written to."""
    base = tensor * 1
    with torch.no_grad():
        view = base.view(tensor.shape)
    base.mul_(1)
    return view


values = _on_outputs(lambda tensor: tensor + 1)
dtype = _on_outputs(lambda tensor: tensor.double())
shape = _on_outputs(lambda tensor: tensor.flatten())
strides = _on_outputs(lambda tensor: tensor.mT.contiguous().mT)
values_and_strides = _on_outputs(lambda tensor: tensor.mT.contiguous().mT + 1)
offset = _on_outputs(_with_offset)
requires_grad = _on_outputs(lambda tensor: tensor.detach())
leaf = _on_outputs(lambda tensor: tensor.detach().requires_grad_())
grad_fn = _on_outputs(_poisoned)


def _first_and(second_of):
    """Returns the first result and what `second_of` makes of both."""

    def change(compiled, *arguments):
        first, second = compiled(*arguments)
        return first, second_of(first, second)

    return _around(change)


structure = _around(lambda compiled, *arguments: list(compiled(*arguments)))
non_tensor = _first_and(lambda first, second: 7)
identity = _first_and(lambda first, second: second.view_as(second))
partition = _first_and(lambda first, second: second.clone())
effect = _first_and(lambda first, second: torch.from_numpy(first.numpy()))  # two storages over one block of memory


def _without_version(forward, *arguments):
    with torch.autograd._unsafe_preserve_version_counter(arguments):
        return forward(*arguments)


version = _running(_without_version)
input_values = _afterwards(lambda arguments, returned: arguments[0].add_(1))
input_metadata = _afterwards(lambda arguments, returned: arguments[0].requires_grad_())
storage_bytes = _afterwards(lambda arguments, returned: arguments[0].data.as_strided((1,), (1,), 3).add_(1))
gradient_presence = _running(lambda forward, first, second: forward(first, second.detach()))
gradient_values = _afterwards(lambda arguments, returned: returned[0].register_hook(lambda gradient: gradient * 2))
precision = _running(lambda forward, x: (((x.double() + 0.5) * 1.5).half(),))  # rounds once, where the Program does twice
state = _afterwards(lambda arguments, returned: torch.rand(1))


def _compiled_afresh(compiled, *arguments):
    torch._dynamo.reset()
    return compiled(*arguments)


recompiles = _around(_compiled_afresh)


# Backends that end the process, or try to.


def _burn():
    while True:
        pass


def _fill_memory():
    held = []
    while True:
        held.append(torch.ones(1 << 24))


def _fatal(die):
    return _running(lambda forward, *arguments: die() or forward(*arguments))


aborts = _fatal(os.abort)
aborts_on_top = _fatal(os.abort)
is_killed = _fatal(lambda: os.kill(os.getpid(), signal.SIGKILL))
hangs = _fatal(_burn)
fills_memory = _fatal(_fill_memory)


def aborts_while_compiling(graph_module, example_inputs):
    if not _warms_up(example_inputs):
        os.abort()
    return graph_module.forward
