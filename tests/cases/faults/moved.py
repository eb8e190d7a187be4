# touchstone: 1
# torch: 2.13.0
# expect: fault:moved_argument_stays Differs/input_metadata
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    x.t_()
    return x * 2


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
