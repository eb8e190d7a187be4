# touchstone: 1
# torch: 2.13.0
# note: a gradient taken inside, first of two arguments that have nothing to do with each other, then of a tensor and a view of it
# expect: torch:aot_function Unsupported
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs_apart(seed, kind):
    w = data((2,), torch.float32, (seed, 1), kind).requires_grad_()
    v = data((2,), torch.float32, (seed, 2), kind).requires_grad_()
    return (w * 1, v[:]), (w, v)


def inputs_view(seed, kind):
    w = data((2,), torch.float32, (seed, 1), kind).requires_grad_()
    x = w * 1
    return (x, x[:]), (w,)


def program(x, y):
    return torch.autograd.grad((x + y).sum(), [x])[0]


CALLS = [
    dict(inputs="inputs_apart"),
    dict(inputs="inputs_view"),
    dict(inputs="inputs_apart", seed=1),
    dict(inputs="inputs_view", seed=1),
]
