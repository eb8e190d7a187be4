# touchstone: 1
# torch: 2.13.0
# note: a number, a flag, a string, None and a list among the inputs
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind).requires_grad_()
    return (x, 3, 0.5, True, None, [x, 2]), ()


def program(x, n, f, flag, nothing, pair):
    y = x * n + f
    if flag:
        y = y + pair[0] * pair[1]
    if nothing is None:
        y = y.neg()
    return y, n, nothing


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0], tangent_seed=3),
    dict(inputs="inputs", seed=2, backward=[0], tangent_seed=4),
]
