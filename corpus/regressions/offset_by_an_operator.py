# touchstone: 1
# torch: 2.13.0
# note: a storage offset that an operator gives
import torch


def inputs(seed, kind):
    base = data((6,), torch.float32, (seed, 0), kind)
    x = base[0:3]
    return (x,), (base,)


def inputs2(seed, kind):
    base = data((6,), torch.float32, (seed, 0), kind)
    x = base[2:5]
    return (x,), (base,)


def program(x):
    return x + torch.ops.aten.sym_storage_offset(x)


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs2", seed=2),
    dict(inputs="inputs", seed=6),
    dict(inputs="inputs2", seed=7),
]
