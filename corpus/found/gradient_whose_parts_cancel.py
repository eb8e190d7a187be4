# touchstone: 1
# torch: 2.13.0
# note: parts of the gradient as large as the largest number cancel, and swallow the small ones or not by the order in which they are added
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    w = data((2, 3), torch.float32, (seed, 946), kind).requires_grad_()
    return (w,), ()


def program(x):
    y = torch.neg(x)
    return y, y * y + y * x, y + x, x, y


CALLS = [
    dict(inputs="inputs", kind="special", backward=[0, 1, 2, 3, 4], tangent_seed=21),
    dict(inputs="inputs", seed=1, kind="special", backward=[0, 1, 2, 3, 4], tangent_seed=21),
]
