# touchstone: 1
# expect: torch:fault:second_call_returns_the_first_results Differs
import torch


def inputs(seed, kind):
    x = data((4,), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    y = x * 2
    x.add_(1)
    return y


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs=None),
    dict(inputs="inputs", seed=2),
]
