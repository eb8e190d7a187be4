# touchstone: 1
# expect: torch:fault:keepdim_is_dropped Differs/shape/call 0 output 0
import torch


def inputs(seed, kind):
    x = data((2, 3), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    return x.amax(1, keepdim=True)


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
