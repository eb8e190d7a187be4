# touchstone: 1
# expect: torch:fault:autocast_is_not_guarded Differs
import torch


def inputs(seed, kind):
    x = data((3, 3), torch.float32, (seed, 0), kind)
    y = data((3, 3), torch.float32, (seed, 1), kind)
    return (x, y), ()


def inputs_2(seed, kind):
    x = data((3, 3), torch.float32, (seed, 0), kind)
    y = data((3, 3), torch.float32, (seed, 1), kind)
    return (x, y), ()


def program(x, y):
    return torch.mm(x, y)


CALLS = [
    dict(inputs="inputs", seed=1, autocast=torch.bfloat16),
    dict(inputs="inputs_2", seed=2),
    dict(inputs="inputs_2", seed=3),
]
