# touchstone: 1
# torch: 2.13.0
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind) * 100000000.0
    y = data((3, 4), torch.float32, (seed, 1), kind)
    z = data((3, 4), torch.float32, (seed, 2), kind) * 0.001
    return (x, y, z), ()


def program(x, y, z):
    return x + y + z, x * y * 1e-20 * 1e-20


CALLS = [
    dict(inputs="inputs", seed=1, kind="uniform"),
    dict(inputs="inputs", seed=2, kind="uniform"),
]
