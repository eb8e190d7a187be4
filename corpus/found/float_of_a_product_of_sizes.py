# touchstone: 1
# torch: 2.13.0
# note: a float64 tensor is multiplied by the float of a product of two symbolic sizes, 16,793,603, which float32 does not hold: the product is of float32. With dynamic=False it agrees.
# expect: torch:aot_eager_default_partitioner Differs/values/call 0 output 0
# expect: torch:aot_eager Differs/values/call 0 output 0
# expect: torch:aot_eager_decomp_partition Differs/values/call 0 output 0
import torch


def inputs(seed, kind):
    x = data((2,), torch.float64, (seed, 0), kind)
    y = data((4097,), torch.float32, (seed, 1), kind)
    z = data((4099,), torch.float32, (seed, 2), kind)
    return (x, y, z), ()


def program(x, y, z):
    return x * float(y.size(0) * z.size(0))


CALLS = [
    dict(inputs="inputs", seed=1, kind="ones"),
    dict(inputs="inputs", seed=2, kind="ones"),
    dict(inputs="inputs", seed=3),
]
COMPILE = dict(dynamic=True)
