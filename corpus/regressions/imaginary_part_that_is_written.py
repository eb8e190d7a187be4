# touchstone: 1
# torch: 2.13.0
# note: an argument is the imaginary part of a tensor that is no argument; it is written to, and the gradient goes through the complex tensor
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    b0 = data((3,), torch.complex64, (seed, 1), kind).requires_grad_()
    b1 = b0 * 1
    x0 = b1.imag
    return (x0,), (b0, b1)


def program(x0):
    x0.mul_(3)
    return x0.sin()


CALLS = [
    dict(inputs="inputs", backward=[0]),
    dict(inputs="inputs", seed=1, backward=[0]),
]
