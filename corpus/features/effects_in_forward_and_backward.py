# touchstone: 1
# torch: 2.13.0
# note: asserts and prints, in the forward and in the backward by a hook
# expect: aot_joint Unsupported
# expect: torch:aot_function Unsupported
# expect: torch:inductor BackendRejected/forward
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def check(g):
    torch._assert_async((g == g).all(), "a gradient is NaN")
    torch.ops.aten._print("backward")
    torch._assert_async((g < 100).all(), "a gradient is large")
    return g * 2


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind).requires_grad_()
    return (x,), ()


def program(x):
    torch._assert_async((x < 100).all(), "x is large")
    torch.ops.aten._print("hello")
    y = x * 2
    y.register_hook(check)
    torch._assert_async((y == y).all())
    return y * x


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0], tangent_seed=3),
    dict(inputs="inputs", seed=2, backward=[0], tangent_seed=4),
]
