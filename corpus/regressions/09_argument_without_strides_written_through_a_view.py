# touchstone: 1
# torch: 2.13.0
# note: pytorch/pytorch#153861: an expanded argument, of which one element is written through a view of it
# expect: torch:aot_eager Limit/A14
# expect: torch:aot_eager_decomp_partition Limit/A14
# expect: torch:aot_function Limit/A14
# expect: torch:inductor Limit/A14
import torch


def inputs(seed, kind):
    base = data((1, 3), torch.float32, (seed, 0), kind)
    return (base.expand(2, 3),), (base,)


def program(x):
    y = torch.as_strided(x, (3,), (1,), 0)
    y.mul_(2)
    return x + 1, y.sin()


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
