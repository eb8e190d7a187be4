# touchstone: 1
# torch: 2.13.0
# note: a second one of `gradient_of_a_power`: TorchScript multiplies the tangent by the exponent first, eager the base.
# expect: ts Differs/gradient_values/call 1 leaf 0
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    x = data((3,), torch.float64, (seed, 1), kind).requires_grad_()
    return (x,), ()


def program(x):
    return (x ** 2).mean()


CALLS = [
    dict(inputs="inputs"),
    dict(inputs="inputs", seed=1, kind="special", backward=[0]),
    dict(inputs="inputs", seed=2, kind="special", backward=[0]),
]
