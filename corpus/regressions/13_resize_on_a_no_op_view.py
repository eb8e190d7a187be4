# touchstone: 1
# torch: 2.13.0
# note: pytorch/pytorch#191449: resize_ on a no-op view of an intermediate
# note: a defect of Inductor: the intermediate that was not resized comes back with the size of the other
# expect: torch:inductor Differs/shape/call 0 output 0
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    y = x.mul(2)
    z = y.view(3, 4)
    z.resize_(2, 4)
    return y, z


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
