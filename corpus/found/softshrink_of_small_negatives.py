# touchstone: 1
# torch: 2.13.0
# note: what softshrink shrinks to zero is 0 in eager's vectorized code, -0 in the rest of it, and in the decomposition, which multiplies by 0. Unclear.
# expect: torch:aot_function Differs/values
# expect: torch:aot_eager_default_partitioner Differs/values
# expect: torch:aot_eager Differs/values
# expect: torch:aot_eager_decomp_partition Differs/values
import torch


def inputs(seed, kind):
    x = data((4, 16), torch.float32, (seed, 0), kind) * 0.125
    return (x,), ()


def program(x):
    return torch.nn.functional.softshrink(x)


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
    dict(inputs="inputs", seed=3),
]
