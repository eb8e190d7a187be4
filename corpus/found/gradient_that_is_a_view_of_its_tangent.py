# touchstone: 1
# torch: 2.13.0
# note: the gradient of `b` is a view of the caller's tangent, to which the second backward adds; in eager another node is about to read it, so that `.grad` gets memory of its own
# expect: simple_ts_compile Unsupported
# expect: torch:aot_eager Differs/input_values
# expect: torch:aot_eager_decomp_partition Differs/input_values
# expect: torch:aot_function Differs/input_values
# expect: torch:inductor Differs/input_values
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    a = data((2, 3), torch.float32, (seed, 0), kind).requires_grad_()
    b = data((2, 3), torch.float32, (seed, 1), kind).requires_grad_()
    return (a, b), ()


def program(a, b):
    return (a * a + b).view(6)


CALLS = [
    dict(inputs="inputs", backward=[0], backward_times=2),
    dict(inputs="inputs", seed=1, backward=[0], backward_times=2),
]
