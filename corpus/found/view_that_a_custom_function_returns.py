# touchstone: 1
# torch: 2.13.0
# note: the result of a custom function is a view of its input: compiled code makes the view anew, outside of the function, whose backward is not called: the gradient is another, silently.
# expect: torch:aot_eager_default_partitioner Differs/gradient_values/call 0 leaf 0
# expect: torch:aot_eager Differs/gradient_values/call 0 leaf 0
# expect: torch:aot_eager_decomp_partition Differs/gradient_values/call 0 leaf 0
# expect: torch:inductor Differs/gradient_values/call 0 leaf 0
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


class Own(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.view(3)

    @staticmethod
    def backward(ctx, g):
        return g * 3


def inputs(seed, kind):
    x = data((3,), torch.float32, (seed, 0), kind).requires_grad_()
    return (x,), ()


def program(x):
    y = x * 1
    z = Own.apply(y)
    return z, y


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0], tangent_seed=3),
    dict(inputs="inputs", seed=2, backward=[0], tangent_seed=4),
]
