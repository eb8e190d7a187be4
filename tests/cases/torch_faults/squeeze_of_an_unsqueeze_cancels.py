# touchstone: 1
# expect: torch:fault:squeeze_of_an_unsqueeze_cancels Differs
import torch


def inputs(seed, kind):
    x = data((1, 3), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    return x.unsqueeze(-1).squeeze(0) * 2


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
