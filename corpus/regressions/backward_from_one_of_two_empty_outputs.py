# touchstone: 1
# torch: 2.13.0
# note: gradients of an empty argument are summed, and the backward goes through one output only: what it reads has to be saved
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    b0 = data((1, 0), torch.float32, (seed, 1), kind).requires_grad_()
    return (b0,), ()


def program(x1):
    y4 = torch.relu(x1)
    y5 = x1 + x1
    return y4, y5


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0]),
    dict(inputs="inputs", seed=2, backward=[0]),
]
