# touchstone: 1
# expect: torch:fault:shared_memory_is_not_guarded Differs
import torch


def inputs(seed, kind):
    x = data((3,), torch.float32, (seed, 0), kind)
    y = data((3,), torch.float32, (seed, 1), kind)
    return (x, y), ()


def inputs_2(seed, kind):
    b = data((3,), torch.float32, (seed, 0), kind)
    x = b.view(3)
    y = b.view(3)
    return (x, y), ()


def program(x, y):
    x.add_(1)
    return x * y


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs_2", seed=2),
    dict(inputs="inputs_2", seed=3),
]
