# touchstone: 1
# torch: 2.13.0
# expect: fault:cat_takes_first_dtype Differs/dtype
# expect: fault:where_takes_first_dtype Differs/dtype
import torch


def inputs(seed, kind):
    c = data((3, 4), torch.bool, (seed, 0), kind)
    x = data((3, 4), torch.int32, (seed, 1), kind)
    y = data((3, 4), torch.float32, (seed, 2), kind)
    return (c, x, y), ()


def program(c, x, y):
    return torch.where(c, x, y), torch.cat([x, y])


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
