# touchstone: 1
# torch: 2.13.0
# note: under torch.func.grad, vjp and jacrev Dynamo traces the forward of a custom function as plain operators and differentiates these: the function's own backward is dropped, silently
# expect: torch:eager Differs/values/call 0 output 0
# expect: torch:aot_eager Differs/values/call 0 output 0
# expect: torch:aot_eager_decomp_partition Differs/values/call 0 output 0
# expect: torch:aot_function Unsupported
# expect: torch:inductor Differs/values/call 0 output 0
import torch


class Doubled(torch.autograd.Function):
    @staticmethod
    def forward(x):
        return x.sin()

    @staticmethod
    def setup_context(ctx, inputs, output):
        pass

    @staticmethod
    def backward(ctx, g):
        return g * 0


def loss(x):
    return Doubled.apply(x).sum()


def inputs(seed, kind):
    x = data((3,), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    return torch.func.grad(loss)(x)


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
