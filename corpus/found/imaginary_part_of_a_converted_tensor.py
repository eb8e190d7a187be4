# touchstone: 1
# torch: 2.13.0
# note: the imaginary part of a transposed tensor that is made complex: eager's has the strides of a view, Inductor's those of a tensor without gaps. A bug, mild.
# expect: torch:inductor Differs/strides
import torch


def inputs(seed, kind):
    x = data((2, 2), torch.float32, (seed, 0), kind).t()
    return (x,), ()


def program(x):
    return x.to(torch.complex64).imag


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
    dict(inputs="inputs", seed=3),
]
