# touchstone: 1
# torch: 2.13.0
# note: two outputs, a hook on an argument that only one of them is computed from, a backward from the other: eager does not ask the hook.
# expect: torch:aot_function Unsupported
# expect: torch:aot_eager NoneBecameZero
# expect: torch:aot_eager_decomp_partition NoneBecameZero
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    w1 = data((2, 1), torch.float32, (seed, 1), kind).requires_grad_()
    b2 = data((2, 1), torch.float32, (seed, 2), kind).requires_grad_()
    return (w1, b2), ()


def negate_gradient(g):
    return -g


def program(x1, x2):
    x2.register_hook(negate_gradient)
    y1 = x1 * x2
    y2 = x1.sum()
    return y1, y2


CALLS = [
    dict(inputs="inputs", backward=[1]),
    dict(inputs="inputs", seed=2, backward=[1]),
    dict(inputs="inputs", seed=3, backward=[0, 1]),
    dict(inputs="inputs", seed=4, backward=[1]),
    dict(inputs="inputs", seed=5, backward=[0]),
    dict(inputs="inputs", seed=6, backward=[0]),
]
