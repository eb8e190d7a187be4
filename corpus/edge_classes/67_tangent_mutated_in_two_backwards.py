# touchstone: 1
# torch: 2.13.0
# note: a hook writes to the tangents of two backwards from one output
# note: torch:aot_function traces operators, and a hook is none
# expect: torch:aot_eager Differs/input_values
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
    y = x * x
    y.register_hook(double_in_place)
    return y


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0], tangent_seed=3, backward_times=2),
    dict(inputs="inputs", seed=2, backward=[0], tangent_seed=4, backward_times=2),
]
