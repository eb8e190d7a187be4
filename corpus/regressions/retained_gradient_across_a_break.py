# touchstone: 1
# torch: 2.13.0
# note: an input whose gradient is retained is written to behind a graph break, and again in eager
# expect: torch:eager Vacuous
# expect: torch:aot_eager Vacuous
# expect: torch:aot_eager_decomp_partition Vacuous
# expect: torch:aot_function Unsupported
# expect: torch:inductor Vacuous
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    b1 = data((5, 2, 2), torch.float32, (seed, 1), kind).requires_grad_()
    w3 = data((1, 1), torch.float32, (seed, 1), kind).requires_grad_()
    b3 = w3.clone()
    x1 = b1[2:]
    return (x1, b3), (b1, w3)


def program(x1, x3):
    x3.retain_grad()
    with torch.no_grad():
        y4, y5 = x1.unbind(-1)
    y5.view((6,))
    x3.absolute_()
    x3 //= 1
    return


CALLS = [
    dict(inputs="inputs", backward=["arg 1"]),
    dict(inputs="inputs", seed=3, backward=["arg 1"]),
    dict(inputs="inputs", seed=4, kind="uniform", backward=["arg 1"]),
]
