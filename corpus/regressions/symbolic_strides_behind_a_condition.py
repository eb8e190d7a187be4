# touchstone: 1
# torch: 2.13.0
# note: few assignments keep the condition, and two symbols had one sum under all of them
import torch


def inputs(seed, kind):
    x = data((2, 7, 4, 1, 2), torch.float32, (seed, 1), kind)
    return (x,), ()


def inputs_2(seed, kind):
    x = data((2, 2, 2, 1, 2), torch.float32, (seed, 1), kind)
    return (x,), ()


def program(x):
    if x.size(0) % 2:
        x = x * 2
    return x / 0


CALLS = [
    dict(inputs="inputs"),
    dict(inputs="inputs_2"),
    dict(inputs="inputs_2", seed=1),
]
COMPILE = dict(dynamic=True)
