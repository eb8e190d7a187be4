# touchstone: 1
# torch: 2.13.0
# note: views of two intermediates mixed
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind).requires_grad_()
    return (x,), ()


def program(x):
    y = x.mul(2)
    z = x.add(1)
    return y.view(-1), z.view(-1), y.t(), z.t()


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0, 3], tangent_seed=3),
    dict(inputs="inputs", seed=2, backward=[1, 2], tangent_seed=4, tangent_layout="expanded"),
]
