# touchstone: 1
# torch: 2.13.0
# note: the hook of a leaf, of which a view goes into compiled code on a way that gets no gradient, is not asked.
# expect: torch:aot_function Unsupported
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    w0 = data((2, 2, 1), torch.float32, (seed, 1), kind).requires_grad_()
    m = torch.nn.Parameter(torch.ones((3,)))
    return (w0, m), ()


def negate_gradient(g):
    return -g


def program(x0, m):
    y2 = m[:-1]
    m.register_hook(negate_gradient)
    y15 = x0[x0 > 0]
    y21 = x0.diagonal()
    return torch.addmv(y21.sum(), y21, y2), y21


CALLS = [
    dict(inputs="inputs", backward=[1]),
    dict(inputs="inputs", seed=1, backward=[1]),
]
