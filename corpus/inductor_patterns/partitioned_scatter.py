# touchstone: 1
# torch: 2.13.0
# note: many values added into few places
# fires: reduced_atomic_contention/create_replacement#2
import torch


def inputs(seed, kind):
    x = data((8,), torch.float32, (seed, 0), kind)
    v = data((8192,), torch.float32, (seed, 1), kind)
    return (x, v), ()


def program(x, v):
    i = torch.arange(8192) % 8
    return torch.index_put(x, (i,), v, accumulate=True)


CALLS = [
    dict(inputs="inputs", seed=1, grad_mode="no_grad"),
    dict(inputs="inputs", seed=2, grad_mode="no_grad"),
]
COMPILE = dict(options={"partitioned_scatter_enabled": True})
