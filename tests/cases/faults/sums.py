# touchstone: 1
# torch: 2.13.0
# expect: fault:product_distributed Differs/values
# expect: fault:reversed_difference Differs/values
# expect: fault:sum_reassociated Differs/values
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind)
    y = data((3, 4), torch.float32, (seed, 1), kind)
    z = data((3, 4), torch.float32, (seed, 2), kind)
    return (x, y, z), ()


def program(x, y, z):
    return x + 0.1 + 0.2, x + y + 0.3, (x + 0.1) * 0.3, 1 - x, x + y * 0.3, x * y + z + y


CALLS = [
    dict(inputs="inputs", seed=1, kind="uniform"),
    dict(inputs="inputs", seed=2, kind="uniform"),
]
