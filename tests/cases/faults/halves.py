# touchstone: 1
# torch: 2.13.0
# expect: fault:half_summed_in_half Differs/values
# expect: fault:half_unrounded_between_calls Differs/values
import torch


def inputs(seed, kind):
    x = data((20, 3), torch.float16, (seed, 0), kind)
    y = data((20, 3), torch.float16, (seed, 1), kind)
    return (x, y), ()


def program(x, y):
    return x * y + x, x.sum(0), torch.exp(x) + y, (x + y) * y


CALLS = [
    dict(inputs="inputs", seed=1, kind="uniform"),
    dict(inputs="inputs", seed=2, kind="uniform"),
]
