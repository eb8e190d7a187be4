# touchstone: 1
# torch: 2.13.0
# expect: fault:division_check_dropped Differs/structure
# expect: fault:error_swallowed Differs/structure
import torch


def inputs(seed, kind):
    return (torch.tensor([4, 5]), torch.tensor([1, 2])), ()


def inputs_other(seed, kind):
    return (torch.tensor([4, 5]), torch.tensor([1, 0])), ()


def program(x, i):
    return torch.floor_divide(x, i)


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs_other", seed=2),
    dict(inputs="inputs", seed=3),
]
