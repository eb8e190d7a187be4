# touchstone: 1
# torch: 2.13.0
# note: a second one of `gradient_of_another_dtype`: what the formula of softmax gives stays float64, and is added before it is rounded.
# expect: ts Differs/gradient_values/call 1 leaf 0
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    x = data((2, 2, 2, 2), torch.float32, (seed, 1), kind).requires_grad_()
    return (x,), ()


def program(x):
    y = x.abs()
    z = y.double().softmax(3)
    return z, y.softmax(3, dtype=torch.float64), z


CALLS = [
    dict(inputs="inputs"),
    dict(inputs="inputs", seed=1, backward=[0, 1, 2], tangent_seed=76, tangent_layout="contiguous"),
    dict(inputs="inputs", seed=2, backward=[0, 1, 2], tangent_seed=76, tangent_layout="contiguous"),
]
