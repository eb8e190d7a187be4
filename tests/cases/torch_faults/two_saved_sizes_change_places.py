# touchstone: 1
# expect: torch:fault:two_saved_sizes_change_places BackendRejected/backward
import torch


def inputs(seed, kind):
    x = data((5, 3), torch.float32, (seed, 0), kind).requires_grad_()
    return (x,), ()


def inputs_2(seed, kind):
    x = data((7, 4), torch.float32, (seed, 0), kind).requires_grad_()
    return (x,), ()


def program(x):
    return x.sum() * 2, x[:x.size(0) // 2]


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0, 1]),
    dict(inputs="inputs_2", seed=2, backward=[0, 1]),
    dict(inputs="inputs_2", seed=3, backward=[0, 1]),
]
COMPILE = dict(dynamic=True)
