# touchstone: 1
# torch: 2.13.0
# note: Inductor asserts: a list operator of complex numbers. A bug (pytorch/pytorch#197094).
# expect: ts Differs/values
# expect: simple_ts_compile Differs/values
# expect: ts_compile Differs/values
# expect: torch:inductor InternalError/compile
import torch


def inputs(seed, kind):
    p = data((3,), torch.complex64, (seed, 0), kind)
    g = data((3,), torch.complex64, (seed, 1), kind)
    return (p, g), ()


def program(p, g):
    torch._foreach_add_([p], [g], alpha=-0.5)
    return p


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
