# touchstone: 1
# torch: 2.13.0
# note: a matrix product outside of autocast inside a call under autocast: its backward must not be cast either
# expect: torch:aot_function Differs/gradient_values
# expect: torch:aot_eager Differs/gradient_values
# expect: torch:aot_eager_decomp_partition Differs/gradient_values
# expect: torch:inductor Differs/gradient_values
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    a = data((4, 4), torch.float32, (seed, 0), kind).requires_grad_()
    return (a, data((4, 4), torch.float32, (seed, 1), kind).requires_grad_()), ()


def program(x, w):
    with torch.autocast("cpu", enabled=False):
        y = torch.mm(x, w)
    return y.exp()


CALLS = [
    dict(inputs="inputs", seed=1, kind="uniform", autocast=torch.bfloat16, backward=[0]),
    dict(inputs="inputs", seed=2, kind="uniform", autocast=torch.bfloat16, backward=[0]),
]
