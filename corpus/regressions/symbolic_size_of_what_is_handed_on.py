# touchstone: 1
# torch: 2.13.0
# note: behind a break a tensor that is only handed on has the size, too, and nobody asked whether it was at least 2
# expect: ts_compile Unsupported
# expect: simple_ts_compile Unsupported
import torch


def inputs(seed, kind):
    w6 = data((1, 1), torch.float32, (seed, 1), kind).requires_grad_()
    return (w6,), ()


def inputs_2(seed, kind):
    w6 = data((1, 2), torch.float32, (seed, 1), kind).requires_grad_()
    return (w6,), ()


def program(x5):
    with torch.no_grad():
        y12 = x5[0:]
    y18 = y12.mean(0)
    return y18[:1].expand(0, *y18.shape), x5


CALLS = [
    dict(inputs="inputs_2"),
    dict(inputs="inputs"),
    dict(inputs="inputs", seed=1),
]
COMPILE = dict(dynamic=True)
