# touchstone: 1
# torch: 2.13.0
# note: in inference mode no version is shared with a tensor that is made over an argument's memory: a write that a compiled graph makes there has to be counted all the same.
import torch


def inputs(seed, kind):
    base = data((3,), torch.float32, (seed, 0), kind)
    return (base.view(3), base), ()


def program(x, y):
    y.mul_(2)
    return x.tanh()


CALLS = [
    dict(inputs="inputs", grad_mode="inference"),
    dict(inputs="inputs", seed=1, grad_mode="inference"),
    dict(inputs="inputs", seed=2),
]
