# touchstone: 1
# torch: 2.13.0
# note: an out= tensor with more elements than the result takes its size, in the memory that it has
# expect: torch:aot_function BackendRejected/forward
import torch


def inputs(seed, kind):
    a = data((3,), torch.float32, (seed, 0), kind)
    return (a, data((8,), torch.float32, (seed, 1), kind)), ()


def program(x, o):
    r = torch.add(x, 1, out=o)
    return r * 2, o + 1


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
