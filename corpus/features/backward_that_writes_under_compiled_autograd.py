# touchstone: 1
# torch: 2.13.0
# note: a compiled backward that writes to an input runs by itself in what compiled autograd captures; PyTorch's compiled autograd raises
# expect: aot_joint Unsupported
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
# expect: torch:aot_eager InternalError/backward
# expect: torch:aot_eager_decomp_partition InternalError/backward
# expect: torch:aot_function BackendRejected/backward
# expect: torch:inductor InternalError/backward
# expect: torch:eager Differs/gradient_values
import torch


class WritesBuffer(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.b = b
        return a * 2

    @staticmethod
    def backward(ctx, g):
        ctx.b.add_(1)
        return g * 3, None


def inputs(seed, kind):
    w = data((2, 3), torch.float32, (seed, 0), kind).requires_grad_()
    b = data((2, 3), torch.float32, (seed, 1), kind)
    return (w.sin(), b), (w,)


def program(x, b):
    return WritesBuffer.apply(x, b).sin()


CALLS = [
    dict(inputs="inputs", backward=[0], compiled_autograd=True),
    dict(inputs="inputs", seed=1, backward=[0], compiled_autograd=True),
    dict(inputs="inputs", seed=2, backward=[0], backward_times=2, compiled_autograd=True),
]
