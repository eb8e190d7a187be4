# touchstone: 1
# torch: 2.13.0
# note: a class of the Case whose forward and backward branch on values: no trace tells of that, and Dynamo compiles it anew for each sum
# expect: torch:aot_function Unsupported
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
# expect: torch:eager Vacuous
# expect: torch:aot_eager Vacuous
# expect: torch:aot_eager_decomp_partition Vacuous
import torch


class Branches(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.positive = x.sum().item() > 0
        return x * 2 if ctx.positive else x * 3

    @staticmethod
    def backward(ctx, g):
        return g * 5 if ctx.positive else g.sin()


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind).requires_grad_()
    return (x,), ()


def program(x):
    return Branches.apply(x).cos()


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0], tangent_seed=3),
    dict(inputs="inputs", seed=2, backward=[0], tangent_seed=4),
]
