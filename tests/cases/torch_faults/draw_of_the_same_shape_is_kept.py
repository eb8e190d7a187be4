# touchstone: 1
# expect: torch:fault:draw_of_the_same_shape_is_kept Differs/values/call 0 output 2
import torch


def inputs(seed, kind):
    x = data((4,), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    return torch.rand_like(x), torch.rand(4), torch.rand_like(x)


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
