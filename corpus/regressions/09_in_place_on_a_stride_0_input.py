# touchstone: 1
# torch: 2.13.0
# note: pytorch/pytorch#120585: a view by as_strided of an input with stride 0, no element twice
# note: a defect of Inductor: the copy that is returned is the memory of the input itself
# expect: torch:inductor Differs/partition/call 0 output 1
import torch


def inputs(seed, kind):
    base = data((4,), torch.float32, (seed, 0), kind)
    x = torch.as_strided(base, (1, 4), (0, 1), 0)
    return (x,), (base,)


def program(x):
    y = torch.as_strided(x, (2, 2), (2, 1), 0)
    y.mul_(2)
    return x.add(1), y.clone()


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
