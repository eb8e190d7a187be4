# touchstone: 1
# expect: torch:fault:tensor_without_dimensions_decides_the_dtype Differs/dtype/call 0 output 0
import torch


def inputs(seed, kind):
    x = data((8,), torch.float32, (seed, 0), kind)
    y = data((), torch.float64, (seed, 1), kind)
    return (x, y), ()


def program(x, y):
    return x + y


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
