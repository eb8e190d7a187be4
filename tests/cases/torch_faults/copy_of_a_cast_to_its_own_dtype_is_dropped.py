# touchstone: 1
# expect: torch:fault:copy_of_a_cast_to_its_own_dtype_is_dropped Differs
import torch


def inputs(seed, kind):
    x = data((4,), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    y = x * 2
    return y, y.to(torch.float32, copy=True)


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
