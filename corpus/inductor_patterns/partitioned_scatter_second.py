# touchstone: 1
# torch: 2.13.0
# note: the index of a second dimension, one value for all
# fires: reduced_atomic_contention/create_replacement#2
import torch


def inputs(seed, kind):
    x = data((4, 8), torch.float32, (seed, 0), kind)
    v = data((1,), torch.float32, (seed, 1), kind)
    return (x, v), ()


def program(x, v):
    i = torch.arange(8192) % 8
    return torch.ops.aten.index_put(x, [None, i], v, True)


CALLS = [
    dict(inputs="inputs", seed=1, grad_mode="no_grad"),
    dict(inputs="inputs", seed=2, grad_mode="no_grad"),
]
COMPILE = dict(options={"partitioned_scatter_enabled": True})
