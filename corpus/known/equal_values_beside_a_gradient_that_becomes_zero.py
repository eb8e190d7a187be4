# touchstone: 1
# torch: 2.13.0
# note: two causes at once: a gradient of zeros where eager has none, and, where no formula is left, values that are made one.
# expect: torch:aot_eager_default_partitioner NoneBecameZero
# expect: torch:aot_eager NoneBecameZero
# expect: torch:aot_function NoneBecameZero
# expect: torch:aot_eager_decomp_partition NoneBecameZero
# expect: torch:inductor NoneBecameZero
# expect: ts Differs/gradient_presence/call 1 leaf 0
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    x = torch.ones(()).requires_grad_()
    y = data((2,), torch.float64, (seed, 1), kind).requires_grad_()
    return (x, y), ()


def program(x, y):
    z = torch.atan(y)
    return z + x, y * y, z, -(y * y)


CALLS = [
    dict(inputs="inputs"),
    dict(inputs="inputs", seed=1, kind="special", backward=[1, 2, 3]),
    dict(inputs="inputs", seed=2, kind="special", backward=[1, 2, 3]),
]
