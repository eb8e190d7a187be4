# touchstone: 1
# expect: torch:fault:triangle_ignores_its_diagonal Differs
import torch


def inputs(seed, kind):
    x = data((3, 3), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    return torch.triu(x, 1)


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
