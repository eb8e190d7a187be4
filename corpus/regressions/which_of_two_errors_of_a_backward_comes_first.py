# touchstone: 1
# torch: 2.13.0
# note: the backward of acosh_ is not there, and relu saved what is written behind a break: compiled code meets the other error
# expect: torch:aot_eager Limit/A8
# expect: torch:aot_eager_decomp_partition Limit/A8
# expect: torch:aot_function Unsupported
# expect: torch:inductor Limit/A8
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    w1 = data((2, 1, 1, 1, 1), torch.float32, (seed, 1), kind).requires_grad_()
    b1 = w1 * 2
    return (b1,), (w1,)


def program(x2):
    x2.acosh_()
    y1 = torch.nn.functional.relu(x2)
    torch._dynamo.graph_break()
    y1.add_(1)
    return (y1,)


CALLS = [
    dict(inputs="inputs", backward=[0]),
    dict(inputs="inputs", seed=1, backward=[0]),
    dict(inputs="inputs", seed=2, backward=[0]),
]
