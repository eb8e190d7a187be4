# touchstone: 1
# torch: 2.13.0
# note: pytorch/pytorch#13669, #22833: gradients of broadcast operands are reduced
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    x = data((2, 3, 4), torch.float32, (seed, 0), kind).requires_grad_()
    b = data((3, 1), torch.float32, (seed, 1), kind).requires_grad_()
    c = data((), torch.float32, (seed, 2), kind).requires_grad_()
    return (x, b, c), ()


def program(x, b, c):
    return x * b + c, b - c


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0, 1], tangent_seed=3),
    dict(inputs="inputs", seed=2, backward=[0], tangent_seed=4),
]
