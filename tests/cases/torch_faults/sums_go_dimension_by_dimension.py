# touchstone: 1
# expect: torch:fault:sums_go_dimension_by_dimension Agreed
import torch


def inputs(seed, kind):
    x = data((2, 3, 4), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    return torch.amax(x, (0, 2))


CALLS = [
    dict(inputs="inputs", seed=1, kind="special"),
    dict(inputs="inputs", seed=2, kind="special"),
]
