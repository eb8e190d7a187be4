# touchstone: 1
# torch: 2.13.0
# note: without elements channel_shuffle returns its argument, which its schema does not say.
import torch


def inputs(seed, kind):
    b1 = data((1, 1, 0), torch.float32, (seed, 1), kind)
    b2 = data((2,), torch.float32, (seed, 2), kind)
    return (b1, b2), ()


def program(x1, x2):
    y1 = torch.channel_shuffle(x1, 1)
    return x2 * 2


CALLS = [
    dict(inputs="inputs"),
    dict(inputs="inputs", seed=2),
    dict(inputs="inputs", seed=3),
]
