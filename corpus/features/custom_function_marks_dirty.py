# touchstone: 1
# torch: 2.13.0
# note: a custom autograd function that writes to its input
# note: a defect, silent: a custom function that writes to its input loses its own backward; the gradient is wrong by the factor 3. The write alone is differentiated
# expect: torch:aot_eager Differs/gradient_values/call 0 leaf 0
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


class MarksDirty(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        x.mul_(2)
        ctx.mark_dirty(x)
        return x

    @staticmethod
    def backward(ctx, g):
        return g * 3


def inputs(seed, kind):
    leaf = data((3, 4), torch.float32, (seed, 0), kind).requires_grad_()
    x = leaf.mul(1)
    return (x,), (leaf,)


def program(x):
    y = MarksDirty.apply(x)
    return y.mul(2)


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0], tangent_seed=3),
    dict(inputs="inputs", seed=2, backward=[0], tangent_seed=4),
]
