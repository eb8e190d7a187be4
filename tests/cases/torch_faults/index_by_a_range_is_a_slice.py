# touchstone: 1
# expect: torch:fault:index_by_a_range_is_a_slice Differs
import torch


def inputs(seed, kind):
    x = data((4,), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    i = torch.tensor([2, 1])
    return torch.index_select(x, 0, i) * 2


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
