# touchstone: 1
# torch: 2.13.0
# note: hooks on outputs add to, clear and overwrite the tangents that they are given
# note: torch:aot_eager asks the hook of an output that no gradient comes to, with zeros, to which it adds: see found/hook_without_gradient.py
# note: torch:aot_function traces operators, and a hook is none
# expect: torch:aot_eager Differs/input_values
# expect: torch:aot_eager_decomp_partition Differs/gradient_values/call 2 leaf 0
# expect: torch:aot_function Unsupported
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind).requires_grad_()
    w = data((3, 4), torch.float32, (seed, 1), kind).requires_grad_()
    return (x, w), ()


def add_in_place(grad):
    grad.add_(1)


def clear(grad):
    grad.zero_()


def overwrite(grad):
    grad.copy_(grad.flip(0))


def program(x, w):
    a = x.sin()
    b = x * w
    c = w.exp()
    a.register_hook(add_in_place)
    b.register_hook(clear)
    c.register_hook(overwrite)
    return a, b, c


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0, 1, 2], tangent_seed=3),
    dict(inputs="inputs", seed=2, backward=[0, 1, 2], tangent_seed=4),
    dict(inputs="inputs", seed=3, backward=[1], tangent_seed=3),
    dict(inputs="inputs", seed=4, backward=[2], tangent_seed=3),
]
