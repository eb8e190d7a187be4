# touchstone: 1
# torch: 2.13.0
# note: a custom function does not let missing gradients be made zeros, and asks whether one is None: in compiled code none is, and the gradient is another, silently.
# expect: torch:eager Differs/gradient_values/call 0 leaf 0
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
        ctx.set_materialize_grads(False)
        return x * 2, x * 3

    @staticmethod
    def backward(ctx, g, h):
        if h is None:
            return g * 5
        return g * 7


def inputs(seed, kind):
    x = data((3,), torch.float32, (seed, 0), kind).requires_grad_()
    return (x,), ()


def program(x):
    a, b = Own.apply(x)
    return a * 1


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0], tangent_seed=3),
    dict(inputs="inputs", seed=2, backward=[0], tangent_seed=4),
]
