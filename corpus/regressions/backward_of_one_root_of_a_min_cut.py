# touchstone: 1
# torch: 2.13.0
# note: the backward of one root is recorded later, when what is saved are values of the joint Graph, not of the forward
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    w2 = data((2, 2), torch.float32, (seed, 1), kind).requires_grad_()
    return (w2,), ()


def program(x2):
    y1 = torch.complex(x2, x2)
    y2 = torch.mm(x2, x2)
    return y2, y1


CALLS = [
    dict(inputs="inputs", backward=[1]),
    dict(inputs="inputs", seed=1, backward=[1]),
    dict(inputs="inputs", seed=2, backward=[1]),
]
