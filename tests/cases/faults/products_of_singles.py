# touchstone: 1
# torch: 2.13.0
# expect: fault:product_in_bfloat16 Differs/values
import torch


def inputs(seed, kind):
    x = data((3, 3), torch.float32, (seed, 0), kind)
    y = data((3, 3), torch.float32, (seed, 1), kind)
    return (x, y), ()


def program(x, y):
    return x @ y


CALLS = [
    dict(inputs="inputs", seed=1, kind="uniform"),
    dict(inputs="inputs", seed=2, kind="uniform"),
]
