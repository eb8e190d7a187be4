# touchstone: 1
# torch: 2.13.0
# note: hooks on an input and on an intermediate
# expect: torch:aot_function Unsupported
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind).requires_grad_()
    return (x,), ()


def double(grad):
    return grad * 2


def program(x):
    y = x.mul(2)
    y.register_hook(double)
    return y.sin()


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0], tangent_seed=3),
    dict(inputs="inputs", seed=2, backward=[0], tangent_seed=4),
]
