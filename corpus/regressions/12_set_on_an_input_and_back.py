# touchstone: 1
# torch: 2.13.0
# note: pytorch/pytorch#110842: set_ on an input, work, set_ back
# expect: simple_ts_compile Differs/values
# expect: ts_compile Differs/values
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    old = x.detach()
    y = x.mul(2)
    torch.ops.aten.set_.source_Tensor(x, y)
    x.add_(1)
    torch.ops.aten.set_.source_Tensor(x, old)
    return y, x.add(1)


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
