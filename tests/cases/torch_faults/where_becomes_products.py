# touchstone: 1
# expect: torch:fault:where_becomes_products Differs/values/call 0 output 0
import torch


def inputs(seed, kind):
    c = data((16,), torch.bool, (seed, 0), kind)
    x = data((16,), torch.float32, (seed, 1), kind)
    y = data((16,), torch.float32, (seed, 2), kind)
    return (c, x, y), ()


def program(c, x, y):
    return torch.where(c, x, y)


CALLS = [
    dict(inputs="inputs", seed=1, kind="special"),
    dict(inputs="inputs", seed=2, kind="special"),
]
