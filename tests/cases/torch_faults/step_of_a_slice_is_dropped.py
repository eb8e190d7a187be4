# touchstone: 1
# expect: torch:fault:step_of_a_slice_is_dropped Differs/shape/call 0 output 0
import torch


def inputs(seed, kind):
    x = data((6,), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    return x[0:3:2] + 1


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
