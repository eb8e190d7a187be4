# touchstone: 1
# torch: 2.13.0
# expect: fault:zero_dimensions_promote Differs/values
import torch


def inputs(seed, kind):
    h = data((3, 4), torch.float16, (seed, 0), kind)
    y = data((), torch.float32, (seed, 1), kind)
    return (h, y), ()


def program(h, y):
    return h * y * 0.3 * 0.7


CALLS = [
    dict(inputs="inputs", seed=1, kind="uniform"),
    dict(inputs="inputs", seed=2, kind="uniform"),
]
