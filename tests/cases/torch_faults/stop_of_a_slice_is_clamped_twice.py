# touchstone: 1
# expect: torch:fault:stop_of_a_slice_is_clamped_twice Differs/shape/call 0 output 0
import torch


def inputs(seed, kind):
    x = data((4,), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    return x[:-1] * 2


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
