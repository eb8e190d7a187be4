# touchstone: 1
# torch: 2.13.0
# expect: fault:channels_last_lost Differs/strides
# expect: fault:memory_format_of_contiguous_lost Differs/strides
import torch


def inputs(seed, kind):
    x = data((2, 3, 4, 5), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    return x.contiguous(memory_format=torch.channels_last)


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
