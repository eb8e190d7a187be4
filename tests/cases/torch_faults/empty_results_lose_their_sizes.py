# touchstone: 1
# expect: torch:fault:empty_results_lose_their_sizes Differs
import torch


def inputs(seed, kind):
    x = data((0, 3), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    return x * 2


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
