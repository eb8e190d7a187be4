# touchstone: 1
# torch: 2.13.0
# note: one gradient is the tangent of two values in front of a break, which are computed from one argument; hooks write to it
# note: torch:aot_eager asks all hooks before any node of the backward runs; eager's nodes run in between, on what the hooks have written by then
# note: torch:aot_function traces operators, and hooks and breaks are none
# expect: torch:aot_eager Differs/input_values
# expect: torch:aot_eager_decomp_partition Differs/gradient_values/call 0 leaf 0
# expect: torch:aot_function Unsupported
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind).requires_grad_()
    return (x,), ()


def double_in_place(grad):
    grad.mul_(2)


def program(x):
    y = x.sin()
    z = x.cos()
    y.register_hook(double_in_place)
    z.register_hook(double_in_place)
    torch._dynamo.graph_break()
    return y + z


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0], tangent_seed=3),
    dict(inputs="inputs", seed=2, backward=[0], tangent_seed=4),
]
