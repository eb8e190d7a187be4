# touchstone: 1
# expect: torch:fault:adding_a_tensor_of_zeros_is_removed Differs/shape/call 0 output 0
import torch


def inputs(seed, kind):
    x = data((4,), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    return x + torch.zeros(2, 4)


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
