# touchstone: 1
# expect: torch:fault:lerp_is_taken_from_the_end Differs/values/call 0 output 0
import torch


def inputs(seed, kind):
    x = data((8,), torch.float32, (seed, 0), kind)
    y = data((8,), torch.float32, (seed, 1), kind)
    return (x, y), ()


def program(x, y):
    return torch.lerp(x, y, 0.25)


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
