# touchstone: 1
# torch: 2.13.0
# expect: fault:small_values_flushed Differs/values
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind) * 1e-20
    y = data((3, 4), torch.float32, (seed, 1), kind) * 1e-20
    return (x, y), ()


def program(x, y):
    return x * y


CALLS = [
    dict(inputs="inputs", seed=1, kind="uniform"),
    dict(inputs="inputs", seed=2, kind="uniform"),
]
