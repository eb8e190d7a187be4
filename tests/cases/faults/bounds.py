# touchstone: 1
# torch: 2.13.0
# expect: fault:clamp_in_other_order Differs/values
# expect: fault:minimum_is_maximum_of_numbers Differs/values
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    return torch.clamp(x, 1, -1), torch.clamp(x, -1, 0.5), torch.clamp_max(x, 0.5)


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
