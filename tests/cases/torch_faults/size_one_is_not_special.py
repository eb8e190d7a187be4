# touchstone: 1
# expect: torch:fault:size_one_is_not_special Differs
import torch


def inputs(seed, kind):
    x = data((1,), torch.float32, (seed, 0), kind)
    return (x,), ()


def inputs_2(seed, kind):
    x = data((2,), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    return x * x.size(0)


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs_2", seed=2),
    dict(inputs="inputs_2", seed=3),
]
