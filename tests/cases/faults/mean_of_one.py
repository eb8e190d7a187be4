# touchstone: 1
# torch: 2.13.0
# expect: fault:mean_by_reciprocal Agreed
import torch


def inputs(seed, kind):
    x = data((), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    return x.mean(0), x.mean(())


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
