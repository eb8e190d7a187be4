# touchstone: 1
# torch: 2.13.0
# note: a custom function returns one tensor twice: Dynamo dies of its own assertion.
# expect: torch:eager InternalError/compile
# expect: torch:aot_eager_default_partitioner InternalError/compile
# expect: torch:aot_eager InternalError/compile
# expect: torch:aot_eager_decomp_partition InternalError/compile
# expect: torch:inductor InternalError/compile
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


class Own(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        y = x * 2
        return y, y

    @staticmethod
    def backward(ctx, g, h):
        return g * 3 + h * 5


def inputs(seed, kind):
    x = data((3,), torch.float32, (seed, 0), kind).requires_grad_()
    return (x,), ()


def program(x):
    a, b = Own.apply(x)
    return a * 2 + b


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0], tangent_seed=3),
    dict(inputs="inputs", seed=2, backward=[0], tangent_seed=4),
]
