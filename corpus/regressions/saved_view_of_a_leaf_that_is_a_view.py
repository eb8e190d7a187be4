# touchstone: 1
# torch: 2.13.0
# note: a view of a leaf that is itself a view, of what requires no grad, is saved and returned; a backward of one of two roots
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    b0 = data((2,), torch.complex64, (seed, 1), kind)
    x2 = torch.as_strided(b0, (1,), (1,), 1).requires_grad_()
    return (x2,), ()


def program(x2):
    y0 = torch.view_as_real(x2)
    y1 = torch.complex(y0, y0)
    return y0, y1


CALLS = [
    dict(inputs="inputs", backward=[1]),
    dict(inputs="inputs", seed=1, backward=[1]),
    dict(inputs="inputs", seed=2, backward=[0, 1]),
]
