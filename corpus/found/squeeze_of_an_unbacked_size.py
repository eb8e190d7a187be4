# touchstone: 1
# torch: 2.13.0
# note: a dimension whose size is unbacked is one long: eager takes it away, code of Inductor keeps it, and says nothing. Without the marks it agrees.
# expect: torch:inductor Differs/shape/call 0 output 0
import torch


def inputs(seed, kind):
    x = data((2, 3), torch.float64, (seed, 0), kind)
    torch._dynamo.decorators.mark_unbacked(x, 0)
    return (x,), ()


def program(x):
    y, z = torch.split(x, [1, x.size(0) - 1], 0)
    return torch.squeeze(z, 0) + 1


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
COMPILE = dict(dynamic=None)
