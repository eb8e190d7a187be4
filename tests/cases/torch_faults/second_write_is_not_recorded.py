# touchstone: 1
# expect: torch:fault:second_write_is_not_recorded Differs/values/call 0 output 0
import torch


def inputs(seed, kind):
    x = data((3,), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    x.add_(1)
    x.mul_(2)
    return x.sin()


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
