# touchstone: 1
# expect: torch:fault:last_size_is_not_guarded Differs
import torch


def inputs(seed, kind):
    x = data((2, 3), torch.float32, (seed, 0), kind)
    return (x,), ()


def inputs_2(seed, kind):
    x = data((2, 4), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    return x * x.size(1)


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs_2", seed=2),
    dict(inputs="inputs_2", seed=3),
]
