# touchstone: 1
# expect: torch:fault:draws_are_moved_to_the_end Differs/values/call 0 output 0
import torch


def inputs(seed, kind):
    x = data((4,), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    a = torch.rand(4)
    b = torch.randn(3)
    return a * x, b


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
