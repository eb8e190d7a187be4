# touchstone: 1
# expect: torch:fault:sum_of_an_expanded_tensor_is_not_multiplied Differs/values/call 0 output 0
import torch


def inputs(seed, kind):
    x = data((3, 1), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    return x.expand(3, 4).sum()


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
