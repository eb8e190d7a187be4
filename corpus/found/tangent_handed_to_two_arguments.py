# touchstone: 1
# torch: 2.13.0
# note: a compiled backward gives its tangent to two arguments, beside another one that is captured
# expect: aot_joint Vacuous
# expect: ts Differs/recompiles
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    b1 = data((1, 1), torch.float32, (seed, 1), kind).requires_grad_()
    b2 = torch.ones((1, 1)).requires_grad_()
    w4 = torch.ones(()).requires_grad_()
    x6 = torch.ones((1, 1)).requires_grad_()
    return (b1, b2, w4, x6), ()


def program(x2, x3, x5, x6):
    y3, y4 = x5, x6.repeat(2, 1)
    return y3 + x2 + x3, y4


CALLS = [
    dict(inputs="inputs", backward=[0, 1], via="grad", compiled_autograd=True),
    dict(inputs="inputs", seed=1, backward=[0, 1], via="grad", compiled_autograd=True),
]
