# touchstone: 1
# torch: 2.13.0
# note: an output retains its gradient; a later backward has a tangent of another layout and is recorded anew.
# expect: torch:eager Vacuous
# expect: torch:aot_function Unsupported
# expect: torch:aot_eager Vacuous
# expect: torch:aot_eager_decomp_partition Vacuous
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    b1 = data((2, 2), torch.float32, (seed, 1), kind).requires_grad_()
    return (b1,), ()


def program(x1):
    y1 = x1 @ x1
    y1.retain_grad()
    return (y1,)


CALLS = [
    dict(inputs="inputs", backward=[0]),
    dict(inputs="inputs", seed=2, backward=[0], tangent_layout="transposed"),
    dict(inputs="inputs", seed=3, backward=[0], tangent_layout="transposed"),
    dict(inputs="inputs", seed=4, backward=[0]),
]
