# touchstone: 1
# torch: 2.13.0
# note: a custom function marks its input as not differentiable and returns it beside another result: what eager gives back for it does not require grad, the compiled one does.
# expect: torch:eager Differs/requires_grad/call 0 output 1
# expect: torch:aot_eager_default_partitioner Differs/requires_grad/call 0 output 1
# expect: torch:aot_eager Differs/requires_grad/call 0 output 1
# expect: torch:aot_eager_decomp_partition Differs/requires_grad/call 0 output 1
# expect: torch:inductor Differs/requires_grad/call 0 output 1
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


class Own(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        y = x * 2
        ctx.mark_non_differentiable(x)
        return x, y

    @staticmethod
    def backward(ctx, g, h):
        return h * 3


def inputs(seed, kind):
    x = data((3,), torch.float32, (seed, 0), kind).requires_grad_()
    return (x,), ()


def program(x):
    a, b = Own.apply(x * 1)
    return b, a * 5, a


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0], tangent_seed=3),
    dict(inputs="inputs", seed=2, backward=[0], tangent_seed=4),
]
