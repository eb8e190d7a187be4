# touchstone: 1
# expect: torch:fault:second_index_tensor_is_the_first Differs/values/call 0 output 0
import torch


def inputs(seed, kind):
    x = data((3, 3), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    i = torch.arange(3)
    j = torch.arange(2, -1, -1)
    return x[i, j]


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
