# touchstone: 1
# torch: 2.13.0
# note: a mutated buffer with another shape than its users
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind).requires_grad_()
    buffer = data((1, 4), torch.float32, (seed, 1), kind)
    return (x, buffer), ()


def program(x, buffer):
    buffer.add_(1)
    return x * buffer


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0], tangent_seed=3),
    dict(inputs="inputs", seed=2, backward=[0], tangent_seed=4),
]
