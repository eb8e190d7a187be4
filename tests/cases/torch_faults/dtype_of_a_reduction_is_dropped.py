# touchstone: 1
# expect: torch:fault:dtype_of_a_reduction_is_dropped Differs/dtype/call 0 output 0
import torch


def inputs(seed, kind):
    x = data((4,), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    return x.sum(dtype=torch.float64)


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
