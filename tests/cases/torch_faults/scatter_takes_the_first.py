# touchstone: 1
# expect: torch:fault:scatter_takes_the_first Differs/values/call 0 output 0
import torch


def inputs(seed, kind):
    x = data((4,), torch.float32, (seed, 0), kind)
    y = data((3,), torch.float32, (seed, 1), kind)
    return (x, y), ()


def program(x, y):
    i = torch.tensor([1, 1, 0])
    return torch.scatter_add(x, 0, i, y)


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
