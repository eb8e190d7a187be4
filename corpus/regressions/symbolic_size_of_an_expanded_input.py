# touchstone: 1
# torch: 2.13.0
# note: one element seen several times; from one root alone
# expect: ts_compile Unsupported
# expect: simple_ts_compile Unsupported
import torch


def inputs(seed, kind):
    b4 = torch.ones((3, 2)).requires_grad_()
    x0 = data((), torch.float32, (seed, 1), kind).expand((2,))
    return (x0, b4), ()


def program(x0, x3):
    return torch.nn.functional.linear(x3, x0), x3 @ x0


CALLS = [
    dict(inputs="inputs", backward=[1]),
    dict(inputs="inputs", seed=1, backward=[1]),
]
COMPILE = dict(dynamic=True)
