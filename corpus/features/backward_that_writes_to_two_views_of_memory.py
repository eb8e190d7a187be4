# touchstone: 1
# torch: 2.13.0
# note: two nodes of one backward write to buffers that lie in one memory, in some calls
# expect: aot_joint Unsupported
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
# expect: torch:aot_function Differs/input_values
# expect: torch:aot_eager Differs/input_values
# expect: torch:aot_eager_decomp_partition Differs/input_values
# expect: torch:aot_eager_default_partitioner Differs/input_values
# expect: torch:inductor Differs/version
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
    w = data((3,), torch.float32, (seed, 2), kind).requires_grad_()
    b = data((3,), torch.float32, (seed, 1), kind)
    c = data((3,), torch.float32, (seed, 3), kind)
    return (w, b, c), ()


def inputs_overlap(seed, kind):
    w = data((3,), torch.float32, (seed, 2), kind).requires_grad_()
    m = data((6,), torch.float32, (seed, 1), kind)
    return (w, m[0:3], m[2:5]), (m,)


def inputs_view(seed, kind):
    w = data((3,), torch.float32, (seed, 2), kind).requires_grad_()
    m = data((3,), torch.float32, (seed, 1), kind)
    return (w, m, m.view(3)), ()


def inputs_same(seed, kind):
    w = data((3,), torch.float32, (seed, 2), kind).requires_grad_()
    m = data((3,), torch.float32, (seed, 1), kind)
    return (w, m, m), ()


def program(w, b, c):
    return (WritesBuffer.apply(w, c) + WritesBuffer.apply(w, b)).sin()


CALLS = [
    dict(inputs="inputs", backward=[0]),
    dict(inputs="inputs_overlap", seed=1, backward=[0]),
    dict(inputs="inputs_overlap", seed=2, backward=[0]),
    dict(inputs="inputs_view", seed=3, backward=[0]),
    dict(inputs="inputs_same", seed=4, backward=[0]),
    dict(inputs="inputs_same", seed=5, backward=[0]),
    dict(inputs="inputs", seed=6, backward=[0]),
]
