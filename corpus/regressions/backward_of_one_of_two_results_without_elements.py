# touchstone: 1
# torch: 2.13.0
# note: the gradients of two results without elements: a backward from one of them reads what that from both has no need of.
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    b1 = data((0, 1), torch.float32, (seed, 1), kind).requires_grad_()
    return (b1,), ()


def program(x1):
    y1, y2 = torch.aminmax(x1, dim=1)
    return y1, y2


CALLS = [
    dict(inputs="inputs", backward=[0, 1]),
    dict(inputs="inputs", seed=2, backward=[0]),
    dict(inputs="inputs", seed=3, backward=[1]),
    dict(inputs="inputs", seed=4, backward=[0]),
    dict(inputs="inputs", seed=5, backward=[1]),
]
