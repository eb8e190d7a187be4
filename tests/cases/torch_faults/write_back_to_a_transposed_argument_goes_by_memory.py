# touchstone: 1
# expect: torch:fault:write_back_to_a_transposed_argument_goes_by_memory Differs
import torch


def inputs(seed, kind):
    b = data((3, 3), torch.float32, (seed, 0), kind)
    x = b.t()
    return (x,), ()


def program(x):
    x.add_(1)
    return x * 2


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
