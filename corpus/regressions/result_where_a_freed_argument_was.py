# touchstone: 1
# torch: 2.13.0
# note: an argument that nobody else holds is freed while the code runs, and a result takes its place: it is no part of the argument.
# expect: torch:aot_function Unsupported
# expect: torch:aot_eager BackendAccepts
# expect: torch:aot_eager_decomp_partition BackendAccepts
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    w1 = data((1, 1), torch.float32, (seed, 1), kind).requires_grad_()
    return (w1,), ()


def program(x1):
    with torch.no_grad():
        y6 = x1[-1]
    y7 = (y6.abs() + 1).sqrt()
    torch._dynamo.graph_break()
    y7 *= 2
    return (y7,)


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0]),
    dict(inputs="inputs", seed=2, backward=[0]),
    dict(inputs="inputs", seed=3, backward=[0]),
]
