# touchstone: 1
# torch: 2.13.0
# note: gradients are differentiated once more
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind).requires_grad_()
    w = data((3, 4), torch.float32, (seed, 1), kind).requires_grad_()
    return (x, w), ()


def program(x, w):
    return x * x * w, w + 1


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0], via="grad", tangent_seed=3, derivatives=2),
    dict(inputs="inputs", seed=2, backward=[0], via="grad", tangent_seed=4, derivatives=2),
]
