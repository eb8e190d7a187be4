# touchstone: 1
# expect: torch:fault:squeeze_takes_all Differs/shape/call 0 output 0
import torch


def inputs(seed, kind):
    x = data((1, 3, 1), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    return x.squeeze(0) * 2


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
