# touchstone: 1
# torch: 2.13.0
# expect: fault:dimension_of_cat_dropped Differs/shape
# expect: fault:last_dimensions_transposed_first Differs/shape
import torch


def inputs(seed, kind):
    x = data((2, 3, 4), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    return x.transpose(-1, -2) * 2, torch.cat([x, x], -1), x.unsqueeze(-1) * 2, torch.cumsum(x, -1)


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
