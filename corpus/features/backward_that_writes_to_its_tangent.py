# touchstone: 1
# torch: 2.13.0
# note: whoever else holds the tangent sees the write; PyTorch's pipeline loses it
# expect: torch:aot_eager Differs/input_values
# expect: torch:aot_eager_decomp_partition Differs/input_values
# expect: torch:aot_function Differs/input_values
# expect: torch:inductor Differs/input_values
import torch


class WritesTangent(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        g.mul_(2)
        return g * 3


def inputs(seed, kind):
    x = data((2, 3), torch.float32, (seed, 0), kind).requires_grad_()
    return (x,), ()


def program(x):
    return WritesTangent.apply(x)


CALLS = [
    dict(inputs="inputs", backward=[0]),
    dict(inputs="inputs", seed=1, backward=[0]),
    dict(inputs="inputs", seed=2, backward=[0], backward_times=2),
]
