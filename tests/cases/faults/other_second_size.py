# touchstone: 1
# torch: 2.13.0
# expect: fault:second_size_unguarded BackendRejected/forward
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind)
    return (x,), ()


def inputs_other(seed, kind):
    x = data((3, 5), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    return torch.sin(x).reshape(-1)


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs_other", seed=2),
    dict(inputs="inputs", seed=3),
    dict(inputs="inputs_other", seed=4),
]
