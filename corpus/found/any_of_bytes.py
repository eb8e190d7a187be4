# touchstone: 1
# torch: 2.13.0
# note: Inductor gives bool for any of bytes, where eager gives bytes. A bug (pytorch/pytorch#198081).
# expect: torch:inductor Differs/dtype
import torch


def inputs(seed, kind):
    x = data((3,), torch.uint8, (seed, 0), kind)
    return (x,), ()


def program(x):
    return x.any()


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
    dict(inputs="inputs", seed=3),
]
