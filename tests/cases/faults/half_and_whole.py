# touchstone: 1
# torch: 2.13.0
# expect: fault:half_and_whole_refused InternalError/compile
import torch


def inputs(seed, kind):
    h = data((3, 4), torch.float16, (seed, 0), kind)
    n = data((3, 4), torch.int64, (seed, 1), kind)
    return (h, n), ()


def program(h, n):
    return h * 2, n + 1


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
