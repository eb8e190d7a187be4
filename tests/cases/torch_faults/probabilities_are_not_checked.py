# touchstone: 1
# expect: torch:fault:probabilities_are_not_checked MissingRefusal
import torch


def inputs(seed, kind):
    x = data((4,), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    return torch.bernoulli(x * 0 + 2)


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
