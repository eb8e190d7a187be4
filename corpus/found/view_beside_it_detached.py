# touchstone: 1
# torch: 2.13.0
# note: a view of a value and the same view detached: the second is made from the first by the steps that lead from the value to the view, so that it is transposed twice. A bug: silently wrong values; with a slice the compiled code stops at an assertion, with a piece of chunk the process dies.
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
# expect: torch:aot_function Differs/values
# expect: torch:aot_eager_default_partitioner Differs/values
# expect: torch:aot_eager Differs/values
# expect: torch:aot_eager_decomp_partition Differs/values
# expect: torch:inductor Differs/values
import torch


def inputs(seed, kind):
    x = data((2, 2), torch.float32, (seed, 0), kind).requires_grad_()
    return (x,), ()


def program(x):
    y = (x * 2).t()
    return y, y.detach()


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
    dict(inputs="inputs", seed=3),
]
