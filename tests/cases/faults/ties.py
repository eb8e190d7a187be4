# touchstone: 1
# torch: 2.13.0
# expect: fault:index_of_last_tie Differs/values
import torch


def inputs(seed, kind):
    x = data((8,), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    return torch.argmax(x)


CALLS = [
    dict(inputs="inputs", seed=1, kind="ones"),
    dict(inputs="inputs", seed=2),
]
