# touchstone: 1
# torch: 2.13.0
# note: a hook on a value behind a break to which no gradient comes: eager does not ask it.
# expect: torch:aot_function Unsupported
# expect: torch:aot_eager BackendRejected/backward
# expect: torch:aot_eager_decomp_partition BackendRejected/backward
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    b1 = data((2,), torch.float32, (seed, 1), kind).requires_grad_()
    return (b1,), ()


def negate_gradient(g):
    return -g


def program(x1):
    y1 = x1 * 2
    y2 = x1 + 1
    torch._dynamo.graph_break()
    y1.register_hook(negate_gradient)
    return (y2,)


CALLS = [
    dict(inputs="inputs", backward=[0]),
    dict(inputs="inputs", seed=2, backward=[0]),
    dict(inputs="inputs", seed=3, backward=[0]),
    dict(inputs="inputs", seed=4, backward=[0]),
    dict(inputs="inputs", seed=5, backward=[0]),
]
