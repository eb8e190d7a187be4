# touchstone: 1
# torch: 2.13.0
# note: pytorch/pytorch PR 186478: out= that resizes an input
# note: a limit of AOTAutograd without Dynamo: out= that resizes is not functionalized; with Dynamo it agrees
# expect: torch:aot_function BackendRejected/forward
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind)
    o = torch.zeros(0)
    return (x, o), ()


def program(x, o):
    torch.add(x, 1, out=o)
    return o.mul(2)


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
