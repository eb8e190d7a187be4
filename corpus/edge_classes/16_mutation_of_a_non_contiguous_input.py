# touchstone: 1
# torch: 2.13.0
# note: a transposed, offset and gapped input is mutated
import torch


def inputs(seed, kind):
    base = data((32,), torch.float32, (seed, 0), kind)
    x = torch.as_strided(base, (3, 4), (1, 5), 7)
    return (x,), (base,)


def program(x):
    x.mul_(2)
    return x.add(1)


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
