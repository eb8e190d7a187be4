# touchstone: 1
# expect: torch:fault:errors_are_raised_once MissingRefusal
import torch


def inputs(seed, kind):
    x = data((4,), torch.float32, (seed, 0), kind)
    i = torch.tensor([9])
    return (x, i), ()


def program(x, i):
    return torch.gather(x, 0, i)


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
    dict(inputs="inputs", seed=3),
]
