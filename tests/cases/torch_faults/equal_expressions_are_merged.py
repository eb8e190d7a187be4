# touchstone: 1
# expect: torch:fault:equal_expressions_are_merged Agreed
import torch


def inputs(seed, kind):
    x = data((4,), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    x.add_(1)
    return x.sin() + 1, x.sin() + 1.0, x.clone()


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
