# touchstone: 1
# torch: 2.13.0
# note: views of another dtype or of conjugated numbers, for other sizes: they are written to before the backward, for which autograd makes them again from their base
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.complex64, (seed, 1), kind).requires_grad_()
    return (x,), ()


def inputs_2(seed, kind):
    x = data((5, 6), torch.complex64, (seed, 1), kind).requires_grad_()
    return (x,), ()


def touch(args, outs):
    outs[0].mul_(2)


def program(x):
    y = x * 2
    return y, torch.view_as_real(y[1:]), torch.view_as_real(y)[:, 1:], y.conj().t(), y.t()[1:].imag


CALLS = [
    dict(inputs="inputs", backward=[1, 2, 3, 4], between="touch"),
    dict(inputs="inputs_2", backward=[1, 2, 3, 4], between="touch"),
    dict(inputs="inputs_2", seed=1, backward=[2], between="touch"),
]
COMPILE = dict(dynamic=True)
