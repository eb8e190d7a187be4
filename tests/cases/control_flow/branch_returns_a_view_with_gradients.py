# touchstone: 1
# torch: 2.13.0
# note: the same branches return a view that autograd does not take part in, and then one that it does.
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
# expect: torch:aot_function Differs/requires_grad
# expect: torch:aot_eager_default_partitioner Differs/requires_grad
# expect: torch:aot_eager Differs/requires_grad
# expect: torch:aot_eager_decomp_partition Differs/requires_grad
# expect: torch:inductor Differs/requires_grad
import torch


def inputs(seed, kind):
    x = data((2, 2), torch.float32, (seed, 1), kind)
    return (x,), ()


def inputs_2(seed, kind):
    x = data((2, 2), torch.float32, (seed, 1), kind).requires_grad_()
    return (x,), ()


def program(x):
    y = torch.cond(x.sum() > 0, lambda t: (t * 2)[0], lambda t: (t * 3)[0], (x,))
    with torch.no_grad():
        z = y[0]
    return z


CALLS = [
    dict(inputs="inputs"),
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs_2"),
    dict(inputs="inputs_2", seed=1),
]
