# touchstone: 1
# torch: 2.13.0
# note: requires_grad_ of a view whose base the Program has made a leaf
# expect: torch:eager Vacuous
# expect: torch:aot_eager Vacuous
# expect: torch:aot_eager_decomp_partition Vacuous
# expect: torch:aot_function Unsupported
# expect: torch:inductor Vacuous
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    b0 = data((1, 2), torch.float32, (seed, 1), kind)
    x2 = torch.as_strided(b0, (1, 1), (2, 2), 1)
    return (b0, x2), ()


def program(x0, x2):
    x0.requires_grad_()
    y1 = x2.requires_grad_()
    return (y1,)


CALLS = [
    dict(inputs="inputs", backward=[0]),
    dict(inputs="inputs", seed=3, backward=[0]),
    dict(inputs="inputs", seed=4, kind="uniform", backward=[0]),
]
