# touchstone: 1
# torch: 2.13.0
# note: complex numbers, their conjugate and real views
import torch


def inputs(seed, kind):
    x = data((2, 3), torch.complex64, (seed, 0), kind)
    return (x,), ()


def program(x):
    y = x.mul(2)
    return y.conj(), torch.view_as_real(y), y.real, x.conj()


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
