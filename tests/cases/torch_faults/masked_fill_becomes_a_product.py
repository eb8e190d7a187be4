# touchstone: 1
# expect: torch:fault:masked_fill_becomes_a_product Differs/values/call 0 output 0
import torch


def inputs(seed, kind):
    x = data((16,), torch.float32, (seed, 0), kind)
    m = data((16,), torch.bool, (seed, 1), kind)
    return (x, m), ()


def program(x, m):
    return x.masked_fill(m, 0)


CALLS = [
    dict(inputs="inputs", seed=1, kind="special"),
    dict(inputs="inputs", seed=2, kind="special"),
]
