# touchstone: 1
# torch: 2.13.0
# note: eager takes the tangent itself for `.grad` of a leaf where no other node is about to read it, and adds to it in the next backward
# expect: simple_ts_compile Unsupported
# expect: torch:inductor Differs/input_values
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    a = data((1,), torch.float32, (seed, 0), kind).requires_grad_()
    b = data((), torch.float32, (seed, 1), kind).requires_grad_()
    return (a, b), ()


def program(a, b):
    return b, torch.add(a, b).unflatten(0, (1,))


CALLS = [
    dict(inputs="inputs", backward=[0, 1], backward_times=2),
    dict(inputs="inputs", seed=1, backward=[0, 1], backward_times=2),
]
