# touchstone: 1
# torch: 2.13.0
# note: hooks on outputs write to rows and to the transpose of the tangents that they are given
# note: torch:aot_eager asks the hook of an output that no gradient comes to, with zeros, to which it adds: see found/hook_without_gradient.py
# note: torch:aot_function traces operators, and a hook is none
# expect: torch:aot_eager Differs/input_values
# expect: torch:aot_eager_decomp_partition Differs/gradient_values/call 0 leaf 0
# expect: torch:aot_function Unsupported
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind).requires_grad_()
    return (x,), ()


def double_a_row(grad):
    grad[1].mul_(2)


def add_to_the_transpose(grad):
    grad.t()[1:3].add_(1)
    grad.view(12)[3:7].zero_()


def program(x):
    y = x.sin()
    z = x.exp()
    y.register_hook(double_a_row)
    z.register_hook(add_to_the_transpose)
    return y, z


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0], tangent_seed=3),
    dict(inputs="inputs", seed=2, backward=[1], tangent_seed=4),
    dict(inputs="inputs", seed=3, backward=[0, 1], tangent_seed=3),
    dict(inputs="inputs", seed=4, backward=[0, 1], tangent_seed=4),
]
