# touchstone: 1
# torch: 2.13.0
# note: dimensions that are marked in each way, and other sizes later.
import torch


def inputs(seed, kind):
    x = data((5, 3), torch.float32, (seed, 0), kind)
    y = data((4, 3), torch.float32, (seed, 1), kind)
    torch._dynamo.mark_dynamic(x, 0, min=2, max=64)
    torch._dynamo.mark_static(x, 1)
    torch._dynamo.maybe_mark_dynamic(y, 0)
    return (x, y), ()


def inputs_sizes(seed, kind):
    x = data((7, 3), torch.float32, (seed, 0), kind)
    y = data((2, 3), torch.float32, (seed, 1), kind)
    torch._dynamo.mark_dynamic(x, 0, min=2, max=64)
    torch._dynamo.mark_static(x, 1)
    torch._dynamo.maybe_mark_dynamic(y, 0)
    return (x, y), ()


def program(x, y):
    n = x.size(0) // 2
    return x * y.size(0), y.sum(0) + n, n


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
    dict(inputs="inputs_sizes", seed=3),
    dict(inputs="inputs_sizes", seed=5),
]
COMPILE = dict(dynamic=None)
