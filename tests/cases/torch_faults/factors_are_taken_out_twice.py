# touchstone: 1
# expect: torch:fault:factors_are_taken_out_twice Differs/values/call 0 output 0
import torch


def inputs(seed, kind):
    x = data((8,), torch.float32, (seed, 0), kind)
    y = data((8,), torch.float32, (seed, 1), kind)
    z = data((8,), torch.float32, (seed, 2), kind)
    return (x, y, z), ()


def program(x, y, z):
    return x * y + x * z


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
