# touchstone: 1
# torch: 2.13.0
# expect: fault:fused_multiplication Differs/values
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind) * 0.1
    y = data((3, 4), torch.float32, (seed, 1), kind) * 0.7
    z = data((3, 4), torch.float32, (seed, 2), kind) * 0.3
    return (x, y, z), ()


def program(x, y, z):
    return x * y + z


CALLS = [
    dict(inputs="inputs", seed=1, kind="uniform"),
    dict(inputs="inputs", seed=2, kind="uniform"),
]
