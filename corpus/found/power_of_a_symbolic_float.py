# touchstone: 1
# torch: 2.13.0
# note: a float that changes is a symbol; where the derivative of a power needs its logarithm, this is refused: NYI log symbolic float. With dynamic=False it agrees.
# expect: torch:aot_eager_default_partitioner BackendRejected/compile
# expect: torch:aot_eager BackendRejected/compile
# expect: torch:aot_eager_decomp_partition BackendRejected/compile
# expect: torch:inductor BackendRejected/compile
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    x = data((3,), torch.float64, (seed, 0), kind).requires_grad_()
    return (x, 0.5), ()


def inputs_2(seed, kind):
    x = data((3,), torch.float64, (seed, 0), kind).requires_grad_()
    return (x, 1.5), ()


def inputs_3(seed, kind):
    x = data((3,), torch.float64, (seed, 0), kind).requires_grad_()
    return (x, 2.5), ()


def program(x, y):
    return torch.pow(y, x)


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0]),
    dict(inputs="inputs_2", seed=2, backward=[0]),
    dict(inputs="inputs_2", seed=3, backward=[0]),
    dict(inputs="inputs_3", seed=4, backward=[0]),
    dict(inputs="inputs_3", seed=5, backward=[0]),
]
COMPILE = dict(dynamic=None)
