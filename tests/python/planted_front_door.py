"""Backends that are each wrong in one way, for the tests of the Python package. Written to be read by `inspect.getsource`."""

import torch
from functorch.compile import make_boxed_func
from torch._dynamo.backends.common import aot_autograd


def plain(module, inputs):
    return module.forward


def first_result(module, inputs):
    """Gives the first call's values for ever."""
    kept = []

    def run(*arguments):
        if not kept:
            kept.extend(each.detach().clone() for each in module(*arguments))
        return tuple(each.clone() for each in kept)

    return run


def alias_for_copy(module, inputs):
    """Leaves copies out."""
    for node in module.graph.nodes:
        if node.op == "call_method" and node.target == "clone":
            node.replace_all_uses_with(node.args[0])
    module.recompile()
    return module.forward


def wrong_strides(module, inputs):
    """Gives matrices in column-major order."""

    def run(*arguments):
        return tuple(each.t().contiguous().t() if each.dim() == 2 else each for each in module(*arguments))

    return run


def dropped_mutation(module, inputs):
    """Works on copies of the inputs."""

    def run(*arguments):
        return module(*(each.clone() if isinstance(each, torch.Tensor) else each for each in arguments))

    return run


def relu_and_one(module, inputs):
    """Adds one to each relu."""
    for node in module.graph.nodes:
        if node.target is torch.relu:
            node.target = relu_plus_one
    module.recompile()
    return module.forward


def relu_plus_one(x):
    return torch.relu(x) + 1


def _identity(module, inputs):
    return make_boxed_func(module.forward)


def _zero_last_term(module, inputs):
    """A backward that leaves the second gradient out of each sum."""
    for node in module.graph.nodes:
        if node.target is torch.ops.aten.add.Tensor:
            node.replace_all_uses_with(node.args[0])
    module.recompile()
    return make_boxed_func(module.forward)


skipped_term = aot_autograd(fw_compiler=_identity, bw_compiler=_zero_last_term)


def reused_buffer(module, inputs):
    """Writes each call's results over those of the call before."""
    buffers = []

    def run(*arguments):
        results = module(*arguments)
        if not buffers:
            buffers.extend(torch.empty_like(each) for each in results)
        return tuple(buffer.copy_(result) for buffer, result in zip(buffers, results))

    return run


def leaked_draw(module, inputs):
    """Draws a random number of its own."""

    def run(*arguments):
        torch.rand(1)
        return module(*arguments)

    return run


def left_grad_mode_off(module, inputs):
    """Leaves grad mode off behind it."""

    def run(*arguments):
        results = module(*arguments)
        torch._C._set_grad_enabled(False)
        return results

    return run


def refuses(module, inputs):
    raise NotImplementedError("takes nothing")


def detaches(module, inputs):
    """Gives results without a history."""

    def run(*arguments):
        return tuple(each.detach() for each in module(*arguments))

    return run


def int_for_float(module, inputs):
    """Gives double precision."""

    def run(*arguments):
        return tuple(each.double() for each in module(*arguments))

    return run


def adds_one(module, inputs):
    """Adds one to each result."""

    def run(*arguments):
        return tuple(each + 1 for each in module(*arguments))

    return run
