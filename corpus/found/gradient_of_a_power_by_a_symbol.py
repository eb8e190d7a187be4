# touchstone: 1
# torch: 2.13.0
# note: an int that changes is a symbol; the derivative of a power by it asks whether it is 0, and Scalar has no equality of symbols: an internal assertion fails. With dynamic=False it agrees.
# expect: torch:aot_eager_default_partitioner InternalError/compile
# expect: torch:aot_eager InternalError/compile
# expect: torch:aot_eager_decomp_partition InternalError/compile
# expect: torch:inductor InternalError/compile
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    x = data((3,), torch.float64, (seed, 0), kind).requires_grad_()
    return (x, 5), ()


def inputs_2(seed, kind):
    x = data((3,), torch.float64, (seed, 0), kind).requires_grad_()
    return (x, 6), ()


def inputs_3(seed, kind):
    x = data((3,), torch.float64, (seed, 0), kind).requires_grad_()
    return (x, 7), ()


def program(x, y):
    return x ** y


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0]),
    dict(inputs="inputs_2", seed=2, backward=[0]),
    dict(inputs="inputs_2", seed=3, backward=[0]),
    dict(inputs="inputs_3", seed=4, backward=[0]),
    dict(inputs="inputs_3", seed=5, backward=[0]),
]
COMPILE = dict(dynamic=None)
