# touchstone: 1
# torch: 2.13.0
# note: eager's kernel adds 511 numbers one by one, which rounds at each; simpler operators add them in pairs
import torch


def inputs(seed, kind):
    x = data((1, 1, 511), torch.float64, (seed, 77), kind)
    return (x,), ()


def program(x):
    return torch.nn.functional.instance_norm(x)


CALLS = [
    dict(inputs="inputs", seed=9),
    dict(inputs="inputs", seed=10),
]
