# touchstone: 1
# torch: 2.13.0
# note: a graph compiled under no_grad for an input that requires grad, then with grad
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind).requires_grad_()
    return (x,), ()


def program(x):
    y = x.mul(2)
    return y, y.view(-1), x.view(-1)


CALLS = [
    dict(inputs="inputs", seed=1, grad_mode="no_grad"),
    dict(inputs="inputs", seed=2, grad_mode="no_grad"),
    dict(inputs="inputs", seed=3, backward=[0, 1], tangent_seed=3),
    dict(inputs="inputs", seed=4, backward=[0, 1], tangent_seed=4),
]
