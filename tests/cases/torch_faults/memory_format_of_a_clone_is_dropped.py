# touchstone: 1
# expect: torch:fault:memory_format_of_a_clone_is_dropped Differs
import torch


def inputs(seed, kind):
    x = data((2, 3), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    return x.t().clone(memory_format=torch.contiguous_format)


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
