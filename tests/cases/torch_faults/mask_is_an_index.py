# touchstone: 1
# expect: torch:fault:mask_is_an_index Differs/values/call 0 output 0
import torch


def inputs(seed, kind):
    x = data((7,), torch.float32, (seed, 0), kind)
    m = data((7,), torch.bool, (seed, 1), kind)
    return (x, m), ()


def program(x, m):
    y = x + 0.5
    y[m] = 7
    return y


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
