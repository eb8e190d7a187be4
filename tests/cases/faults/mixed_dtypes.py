# touchstone: 1
# torch: 2.13.0
# expect: fault:mixed_halves_are_half Differs/values
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind)
    y = data((), torch.float64, (seed, 1), kind)
    h = data((3, 4), torch.float16, (seed, 2), kind)
    b = data((3, 4), torch.bfloat16, (seed, 3), kind)
    d = data((3, 4), torch.float64, (seed, 4), kind)
    return (x, y, h, b, d), ()


def program(x, y, h, b, d):
    return x + y, x * h, h + b, torch.where(x > 0, x, d), torch.cat([x, d]), d * 0.1, x * d[0, 0]


CALLS = [
    dict(inputs="inputs", seed=1, kind="uniform"),
    dict(inputs="inputs", seed=2, kind="uniform"),
]
