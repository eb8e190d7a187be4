# touchstone: 1
# torch: 2.13.0
# note: torch.autograd.grad inside the program
# expect: torch:aot_function Unsupported
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind).requires_grad_()
    return (x,), ()


def program(x):
    y = (x * x).sum()
    g = torch.autograd.grad(y, x)[0]
    return g.detach() * 2


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
