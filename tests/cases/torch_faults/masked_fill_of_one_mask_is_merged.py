# touchstone: 1
# expect: torch:fault:masked_fill_of_one_mask_is_merged Differs/values/call 0 output 1
import torch


def inputs(seed, kind):
    x = data((4,), torch.float32, (seed, 0), kind)
    m = data((4,), torch.bool, (seed, 1), kind)
    return (x, m), ()


def program(x, m):
    return x.masked_fill(m, 1), x.masked_fill(m, 2)


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
