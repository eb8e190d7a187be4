# touchstone: 1
# expect: torch:fault:quotient_of_addcdiv_is_whole Differs/values/call 0 output 0
import torch


def inputs(seed, kind):
    x = data((4,), torch.float32, (seed, 0), kind)
    y = data((4,), torch.float32, (seed, 1), kind)
    z = data((4,), torch.float32, (seed, 2), kind)
    return (x, y, z), ()


def program(x, y, z):
    return torch.addcdiv(x, y, z + 3)


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
