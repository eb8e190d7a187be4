# touchstone: 1
# torch: 2.13.0
# note: after the write to a slice the argument is older than its base, but has a grad_fn: a later write to it is none to a leaf.
# expect: torch:aot_function Unsupported
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    b1 = data((1, 3, 1), torch.float64, (seed, 1), kind)
    b2 = data((3, 2), torch.float64, (seed, 2), kind).requires_grad_()
    return (b1[:1], b2), (b1,)


def program(x1, x2):
    x1.copy_(x2[0, :1])
    x1[..., 1::2] += 2
    torch._dynamo.graph_break()
    x1 += 2
    return (x1 * 3,)


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0]),
    dict(inputs="inputs", seed=2, backward=[0]),
    dict(inputs="inputs", seed=3, backward=[0]),
]
