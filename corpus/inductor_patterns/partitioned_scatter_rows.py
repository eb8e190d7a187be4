# touchstone: 1
# torch: 2.13.0
# note: the same with rows, a negative index among them, and integers
# fires: reduced_atomic_contention/create_replacement#2
import torch


def inputs(seed, kind):
    x = data((8, 4), torch.int64, (seed, 0), kind)
    v = data((8192, 4), torch.int64, (seed, 1), kind)
    return (x, v), ()


def program(x, v):
    i = torch.arange(8192) % 8 - 3
    return x.index_put((i,), v, accumulate=True)


CALLS = [
    dict(inputs="inputs", seed=1, grad_mode="no_grad"),
    dict(inputs="inputs", seed=2, grad_mode="no_grad"),
]
COMPILE = dict(options={"partitioned_scatter_enabled": True})
