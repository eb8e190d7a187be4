# touchstone: 1
# torch: 2.13.0
# note: the argument is turned in place, and what is saved of it has to lie as it lay before.
# expect: torch:aot_function BackendRejected/backward
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


class SavesInput(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * x * 2


def inputs(seed, kind):
    w3 = data((9,), torch.float32, (seed, 1), kind).requires_grad_()
    b3 = w3.mul(1)
    x3 = torch.as_strided(b3, (3, 2), (1, 3), 3)
    return (x3,), (w3,)


def program(x3):
    y0 = x3.t_()
    y4 = SavesInput.apply(y0)
    return (y4,)


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0, "arg 0"]),
    dict(inputs="inputs", seed=2, backward=[0, "arg 0"]),
    dict(inputs="inputs", seed=3, backward=[0, "arg 0"]),
]
