# touchstone: 1
# expect: torch:fault:none_is_without_a_guard Differs
import torch


def inputs(seed, kind):
    x = data((3,), torch.float32, (seed, 0), kind)
    y = None
    return (x, y), ()


def inputs_2(seed, kind):
    x = data((3,), torch.float32, (seed, 0), kind)
    y = data((3,), torch.float32, (seed, 1), kind)
    return (x, y), ()


def program(x, y):
    return x * 2 if y is None else x * y


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs_2", seed=2),
    dict(inputs="inputs_2", seed=3),
]
