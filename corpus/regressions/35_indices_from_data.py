# touchstone: 1
# torch: 2.13.0
# note: pytorch/pytorch#164428: indices that come from data, in range and negative
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind).requires_grad_()
    i = torch.tensor([0, -1, 2])
    return (x, i), ()


def program(x, i):
    y = x[i]
    z = torch.index_select(x, 0, i.abs())
    return y, z.cumsum(0), y[:, 1:].clone()


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0], tangent_seed=3),
    dict(inputs="inputs", seed=2, backward=[0], tangent_seed=4),
]
