# touchstone: 1
# torch: 2.13.0
# note: an out= tensor without elements in the memory of another grows over it
# expect: torch:aot_function BackendRejected/forward
import torch


def inputs(seed, kind):
    a = data((3,), torch.float32, (seed, 0), kind)
    return (a,), ()


def program(x):
    b = torch.zeros((8,))
    o = b[0:0]
    torch.add(x, 1, out=o)
    return o * 2, b


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
