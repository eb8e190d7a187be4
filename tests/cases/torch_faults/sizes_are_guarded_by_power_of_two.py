# touchstone: 1
# expect: torch:fault:sizes_are_guarded_by_power_of_two Differs
import torch


def inputs(seed, kind):
    x = data((5,), torch.float32, (seed, 0), kind)
    return (x,), ()


def inputs_2(seed, kind):
    x = data((7,), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    return x * x.size(0)


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs_2", seed=2),
    dict(inputs="inputs_2", seed=3),
]
