# touchstone: 1
# torch: 2.13.0
# note: the number of an output of its node, asked by an operator
# expect: torch:aot_function Differs/values
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    b = data((6,), torch.float32, (seed, 0), kind).requires_grad_()
    x, y = b.chunk(2)
    return (x, y), (b,)


def inputs2(seed, kind):
    b = data((6,), torch.float32, (seed, 0), kind).requires_grad_()
    x, y = b.chunk(2)
    return (y, x), (b,)


def program(x, y):
    return x + torch.ops.aten.output_nr(x), y


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs2", seed=2),
    dict(inputs="inputs", seed=6),
    dict(inputs="inputs2", seed=7),
]
