# touchstone: 1
# torch: 2.13.0
# note: pytorch/pytorch#160663: the real view of a complex number without dimensions
import torch


def inputs(seed, kind):
    x = data((), torch.complex64, (seed, 0), kind)
    return (x,), ()


def program(x):
    y = torch.view_as_real(x.mul(2))
    y[0].add_(1)
    return y, torch.view_as_complex(y), x.conj()


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
