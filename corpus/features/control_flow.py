# touchstone: 1
# torch: 2.13.0
# note: branches on sizes, loops, a helper function
# expect: torch:aot_function Unsupported
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind).requires_grad_()
    return (x, 3), ()


def helper(y, n):
    return y.mul(n)


def program(x, n):
    y = x
    if x.shape[0] > 2 and n != 2:
        y = helper(y, n)
    else:
        y = y.neg()
    for i in range(n):
        y = y + i
    while n > 1:
        n -= 1
        y = y * 2
    torch._dynamo.graph_break()
    first, *rest = y.unbind(0)
    return first, rest, x.stride(), y.shape


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0], tangent_seed=3),
    dict(inputs="inputs", seed=2, backward=[0], tangent_seed=4),
]
