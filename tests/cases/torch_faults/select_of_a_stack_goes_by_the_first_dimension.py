# touchstone: 1
# expect: torch:fault:select_of_a_stack_goes_by_the_first_dimension Differs
import torch


def inputs(seed, kind):
    x = data((3,), torch.float32, (seed, 0), kind)
    y = data((3,), torch.float32, (seed, 1), kind)
    return (x, y), ()


def program(x, y):
    return torch.select(torch.stack([x, y], 0), 0, 1) * 2


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
