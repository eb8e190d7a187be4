# touchstone: 1
# torch: 2.13.0
# note: a view of what torch's map returns requires no grad when it is made without gradients: behind it is a tensor that has none.
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
# expect: torch:aot_function Differs/requires_grad
# expect: torch:aot_eager_default_partitioner Differs/requires_grad
# expect: torch:aot_eager Differs/requires_grad
# expect: torch:aot_eager_decomp_partition Differs/requires_grad
# expect: torch:inductor BackendRejected/compile
import torch
import torch._higher_order_ops


def inputs(seed, kind):
    x = data((2, 2), torch.float32, (seed, 1), kind).requires_grad_()
    return (x,), ()


def program(x):
    y = torch._higher_order_ops.map(lambda t: t * 2, x)
    with torch.no_grad():
        z = y[0, 0]
    return z


CALLS = [
    dict(inputs="inputs"),
    dict(inputs="inputs", seed=1),
]
