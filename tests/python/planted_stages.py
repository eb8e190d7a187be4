"""Backends on AOTAutograd of which one stage each is wrong: `torch:planted_stages:NAME`.

A worker warms its backends up with tensors of 3 x 3: those are served honestly.
"""

import torch
from functorch.compile import default_partition, make_boxed_func
from torch._dynamo.backends.common import aot_autograd


def _warms_up(inputs):
    return any(isinstance(each, torch.Tensor) and tuple(each.shape) == (3, 3) for each in inputs)


def _compile(module, inputs):
    return make_boxed_func(module.forward)


def _replacing(target, replacement):
    """A compiler that takes one operator for another."""

    def compile(module, inputs):
        for node in module.graph.nodes:
            if node.target is target and not _warms_up(inputs):
                node.target = replacement
        module.recompile()
        return _compile(module, inputs)

    return compile


def _raising(module, inputs):
    if not _warms_up(inputs):
        raise NotImplementedError("not for this compiler")
    return _compile(module, inputs)


def _writing_to_inputs(module, inputs):
    """Adds one to the first input when the graph has run."""

    def run(*arguments):
        returned = module.forward(*arguments)
        if not _warms_up(arguments):
            arguments[0].add_(1)
        return returned

    return make_boxed_func(run)


def _cut_and(change):
    """A partition by default of which `change` is made, of the forward graph and of the backward graph."""

    def partition(joint, inputs, **others):
        forward, backward = default_partition(joint, inputs, **others)
        if not _warms_up(inputs[0]):
            change(forward, backward)
            forward.recompile()
            backward.recompile()
        return forward, backward

    return partition


def _negate_gradient(forward, backward):
    output = backward.graph.output_node()
    gradients = list(output.args[0])
    position = next(index for index, gradient in enumerate(gradients) if gradient is not None)
    with backward.graph.inserting_before(output):
        negated = backward.graph.call_function(torch.ops.aten.neg.default, (gradients[position],))
    negated.meta = dict(gradients[position].meta)
    gradients[position] = negated
    output.args = (tuple(gradients),)


def _drop_node(forward, backward):
    """The forward returns what its last operator got in place of what that computes."""
    output = forward.graph.output_node()
    first = output.args[0][0]
    output.args = ((first.args[0],) + tuple(output.args[0][1:]),)


def _raise(forward, backward):
    raise NotImplementedError("not for this partition")


def _backend(forward=_compile, backward=_compile, partition=default_partition):
    return aot_autograd(fw_compiler=forward, bw_compiler=backward, inference_compiler=forward, partition_fn=partition)


sin, cos = torch.ops.aten.sin.default, torch.ops.aten.cos.default

right = _backend()
wrong_forward = _backend(forward=_replacing(sin, cos))
wrong_backward = _backend(backward=_replacing(cos, sin))
writing_forward = _backend(forward=_writing_to_inputs)
raising_forward = _backend(forward=_raising)
wrong_gradient_of_partition = _backend(partition=_cut_and(_negate_gradient))
wrong_result_of_partition = _backend(partition=_cut_and(_drop_node))
raising_partition = _backend(partition=_cut_and(_raise))
