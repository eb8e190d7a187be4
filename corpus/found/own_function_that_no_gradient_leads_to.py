# touchstone: 1
# torch: 2.13.0
# note: no gradient leads to the function's node from the output that is differentiated; it would be given zeros.
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
# expect: torch:aot_function NoneBecameZero
# expect: torch:aot_eager_default_partitioner NoneBecameZero
# expect: torch:aot_eager NoneBecameZero
# expect: torch:aot_eager_decomp_partition NoneBecameZero
# expect: torch:inductor NoneBecameZero
import torch


class Own1(torch.autograd.Function):
    @staticmethod
    def forward(y14):
        return helper_2(y14)

    @staticmethod
    def setup_context(ctx, inputs, output):
        (y14,) = inputs
        ctx.save_for_backward(y14)

    @staticmethod
    def backward(ctx, g0, g1):
        (y14,) = ctx.saved_tensors
        with torch.enable_grad():
            out = helper_2(y14)
        return torch.autograd.grad(out, [y14], [g0, g1])


def inputs(seed, kind):
    b1 = data((3,), torch.float32, (seed, 1), kind).requires_grad_()
    b2 = torch.ones(()).requires_grad_()
    return (b1, b2), ()


def helper_2(y14):
    y15, y16 = y14.split(2)
    return y15, y16


def program(x1, x2):
    y15, y16 = Own1.apply(x1)
    return x2 + y15, x2.clone()


CALLS = [
    dict(inputs="inputs", backward=[1]),
    dict(inputs="inputs", seed=1, backward=[1]),
]
