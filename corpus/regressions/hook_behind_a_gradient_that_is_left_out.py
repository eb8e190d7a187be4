# touchstone: 1
# torch: 2.13.0
# note: a leaf is reached by a view on a way without a gradient and by a function that leaves its gradient out: eager asks its hook with None.
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
# expect: torch:aot_eager BackendAccepts
# expect: torch:aot_eager_decomp_partition BackendAccepts
# expect: torch:aot_function Unsupported
import torch


class KeepsItsGradient(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return None


def negate_gradient(g):
    return -g


def inputs(seed, kind):
    x = data((2,), torch.float32, (seed, 0), kind).requires_grad_()
    m = data((3,), torch.float32, (seed, 1), kind).requires_grad_()
    return (x, m), ()


def program(x, m):
    y = m[:-1]
    m.register_hook(negate_gradient)
    if x.sum() > 1000:
        return x, y
    return KeepsItsGradient.apply(m)[:-1] * x, x * y


CALLS = [
    dict(inputs="inputs", seed=7, backward=[0], tangent_seed=1),
    dict(inputs="inputs", seed=8, backward=[0], tangent_seed=2),
]
