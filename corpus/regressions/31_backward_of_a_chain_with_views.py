# touchstone: 1
# torch: 2.13.0
# note: pytorch/pytorch#163567: a program whose backward is refused only when compiled
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    x = data((2, 3, 4), torch.float32, (seed, 0), kind).requires_grad_()
    return (x,), ()


def program(x):
    y = x.transpose(0, 2).reshape(4, 6)
    z = y.unfold(1, 2, 2).mul(2)
    return z.squeeze(), torch.cumsum(z, 0)


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0], tangent_seed=3),
    dict(inputs="inputs", seed=2, backward=[1], tangent_seed=4, tangent_layout="transposed"),
]
