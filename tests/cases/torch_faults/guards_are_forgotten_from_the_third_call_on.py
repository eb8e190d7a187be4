# touchstone: 1
# expect: torch:fault:guards_are_forgotten_from_the_third_call_on Differs
import torch


def inputs(seed, kind):
    x = data((3,), torch.float32, (seed, 0), kind)
    return (x,), ()


def inputs_2(seed, kind):
    x = data((4,), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    return x * x.size(0)


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
    dict(inputs="inputs", seed=5),
    dict(inputs="inputs_2", seed=3),
    dict(inputs="inputs_2", seed=4),
]
