# touchstone: 1
# torch: 2.13.0
# note: two calls whose arguments differ in the lazy negative bit only
# expect: torch:inductor Differs/values
import torch


def inputs(seed, kind):
    a = data((3,), torch.complex64, (seed, 0), kind)
    return (a.imag,), ()


def inputsneg(seed, kind):
    a = data((3,), torch.complex64, (seed, 0), kind)
    return (a.conj().imag,), ()


def program(x):
    return x * 2


CALLS = [
    dict(inputs="inputsneg", seed=3),
    dict(inputs="inputsneg", seed=4),
    dict(inputs="inputs", seed=3),
    dict(inputs="inputs", seed=4),
]
