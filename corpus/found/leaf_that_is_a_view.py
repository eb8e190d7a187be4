# touchstone: 1
# torch: 2.13.0
# note: a view made under no_grad requires grad where the base of its argument does: a leaf that is a view, and one that is not.
# expect: torch:aot_function Differs/requires_grad
# expect: torch:aot_eager Differs/requires_grad
# expect: torch:aot_eager_decomp_partition Differs/requires_grad
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    b1 = data((1,), torch.float32, (seed, 1), kind)
    x1 = b1.expand((1,)).requires_grad_()
    return (x1,), ()


def inputs_changed(seed, kind):
    b1 = data((1,), torch.float32, (seed, 1), kind)
    x1 = b1.requires_grad_()
    return (x1,), ()


def program(x1):
    with torch.no_grad():
        y1 = x1[None]
    return 1.0 - y1


CALLS = [
    dict(inputs="inputs"),
    dict(inputs="inputs", seed=2),
    dict(inputs="inputs_changed"),
    dict(inputs="inputs_changed", seed=3),
    dict(inputs="inputs", seed=4),
]
