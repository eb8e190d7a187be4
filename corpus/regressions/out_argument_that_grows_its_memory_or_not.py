# touchstone: 1
# torch: 2.13.0
# note: an out= argument with fewer elements than the result grows its memory, which breaks the graph; one that has enough does not
# expect: torch:aot_function Limit/A14
import torch


def inputs(seed, kind):
    b0 = data((4,), torch.float32, (seed, 1), kind)
    x1 = b0.permute((0,))
    return (b0, x1), ()


def program(x0, x1):
    torch.exp(x0, out=x1)
    x1.as_strided_((2, 1), (2, 2), 1)
    return


CALLS = [
    dict(inputs="inputs"),
    dict(inputs=None),
    dict(inputs="inputs"),
    dict(inputs="inputs", seed=1),
]
