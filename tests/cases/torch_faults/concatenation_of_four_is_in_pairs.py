# touchstone: 1
# expect: torch:fault:concatenation_of_four_is_in_pairs Differs
import torch


def inputs(seed, kind):
    x = data((2,), torch.float32, (seed, 0), kind)
    y = data((2,), torch.float32, (seed, 1), kind)
    return (x, y), ()


def program(x, y):
    return torch.cat([x, y, x + 1, y + 1])


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
