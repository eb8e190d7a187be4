# touchstone: 1
# torch: 2.13.0
# note: a custom autograd function under enable_grad in inference mode gives an inference tensor a grad_fn
# expect: torch:aot_function Differs/requires_grad/call 0 output 0
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


class ReturnsInput(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x

    @staticmethod
    def backward(ctx, g):
        return g * 2


def inputs(seed, kind):
    return (), ()


def program():
    y6 = torch.ones((1,), requires_grad=True)
    with torch.enable_grad():
        y8 = ReturnsInput.apply(y6)
    return y8, y6


CALLS = [
    dict(inputs="inputs", grad_mode="inference"),
    dict(inputs="inputs", seed=1, grad_mode="inference"),
    dict(inputs="inputs", seed=2, grad_mode="inference"),
]
