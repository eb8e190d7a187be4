# touchstone: 1
# expect: torch:fault:accumulating_put_overwrites Differs/values/call 0 output 0
import torch


def inputs(seed, kind):
    x = data((4,), torch.float32, (seed, 0), kind)
    y = data((3,), torch.float32, (seed, 1), kind)
    return (x, y), ()


def program(x, y):
    i = torch.tensor([1, 1, 0])
    return torch.index_put(x, (i,), y, accumulate=True)


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
