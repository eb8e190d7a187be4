# touchstone: 1
# torch: 2.13.0
# note: how many bytes there are is told by a tensor that shares them and is not looked at
import torch


def inputs(seed, kind):
    x0 = data((2, 1), torch.float32, (seed, 1), kind)
    x1 = x0.detach()
    torch._dynamo.mark_dynamic(x1, 0)
    return (x0, x1), ()


def program(x0, x1):
    return x0.diagonal()


CALLS = [
    dict(inputs="inputs"),
    dict(inputs="inputs", seed=1),
]
COMPILE = dict(dynamic=None)
