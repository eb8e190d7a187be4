# touchstone: 1
# torch: 2.13.0
# note: the kernel copies a dimension whose size does not change, whatever the factor; the decomposition scales its indices. A bug, silent (pytorch/pytorch#198201).
# expect: torch:aot_function Differs/values
# expect: torch:aot_eager Differs/values
# expect: torch:aot_eager_decomp_partition Differs/values
import torch


def inputs(seed, kind):
    x = data((1, 1, 3, 4), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    return torch.nn.functional.interpolate(x, scale_factor=(1.3, 1.5), mode="nearest")


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
    dict(inputs="inputs", seed=3),
]
