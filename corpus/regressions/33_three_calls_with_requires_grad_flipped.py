# touchstone: 1
# torch: 2.13.0
# note: pytorch/pytorch#108670, #49299: call three times, flip requires_grad, broadcast in the forward
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind).requires_grad_()
    b = data((4,), torch.float32, (seed, 1), kind).requires_grad_()
    return (x, b), ()


def inputs_plain(seed, kind):
    return (data((3, 4), torch.float32, (seed, 0), kind), data((4,), torch.float32, (seed, 1), kind)), ()


def program(x, b):
    y = x.mul(b)
    return y, y.tanh()


CALLS = [
    dict(inputs="inputs", seed=1, backward=[1], tangent_seed=3),
    dict(inputs="inputs_plain", seed=2),
    dict(inputs="inputs", seed=3, backward=[0, 1], tangent_seed=4),
    dict(inputs="inputs", seed=4, backward=[0], tangent_seed=5),
]
