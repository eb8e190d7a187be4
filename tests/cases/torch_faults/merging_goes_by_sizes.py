# touchstone: 1
# expect: torch:fault:merging_goes_by_sizes Differs/values/call 0 output 1
import torch


def inputs(seed, kind):
    x = data((4,), torch.float32, (seed, 0), kind)
    y = data((4,), torch.float32, (seed, 1), kind)
    z = data((4,), torch.float32, (seed, 2), kind)
    return (x, y, z), ()


def program(x, y, z):
    return torch.addcmul(x, y, z), torch.addcmul(y, x, z)


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
