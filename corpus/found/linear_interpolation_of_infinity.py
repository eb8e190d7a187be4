# touchstone: 1
# torch: 2.13.0
# note: the decomposition computes a + (b - a) * w where the kernel computes a * v + b * w: an infinity becomes NaN where its neighbour is infinite too.
# expect: torch:aot_function Differs/values
# expect: torch:aot_eager Differs/values
# expect: torch:aot_eager_decomp_partition Differs/values
import torch


def inputs(seed, kind):
    x = torch.tensor([[[float("inf")]]])
    return (x,), ()


def program(x):
    return torch.nn.functional.interpolate(x, 2, mode="linear")


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
    dict(inputs="inputs", seed=3),
]
