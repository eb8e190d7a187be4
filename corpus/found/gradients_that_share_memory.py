# touchstone: 1
# torch: 2.13.0
# note: two parameters of a step that adds up gradients: `.grad` of both is one memory, so that each is added to twice
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
# expect: torch:aot_eager Differs/gradient_values
# expect: torch:aot_eager_decomp_partition Differs/gradient_values
# expect: torch:aot_function Differs/gradient_values
# expect: torch:inductor Differs/gradient_values
import torch


def inputs(seed, kind):
    a = data((2, 3), torch.float32, (seed, 0), kind).requires_grad_()
    b = data((6,), torch.float32, (seed, 1), kind).requires_grad_()
    return (a, b), ()


def program(a, b):
    return (a.view(6) + b) * 2


CALLS = [
    dict(inputs="inputs", backward=[0]),
    dict(inputs=None, backward=[0], tangent_seed=1),
    dict(inputs=None, backward=[0], tangent_seed=2),
]
