# touchstone: 1
# torch: 2.13.0
# note: conj_physical_ of real numbers writes nothing, here to the memory of an expanded argument
# expect: torch:aot_eager InternalError/compile
# expect: torch:aot_eager_decomp_partition InternalError/compile
# expect: torch:aot_function InternalError/compile
# expect: torch:inductor InternalError/compile
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    b = data((1,), torch.float64, (seed, 1), kind).requires_grad_()
    return (b.expand((2,)), b), ()


def program(x, y):
    with torch.no_grad():
        y.conj_physical_()
    return torch.nn.functional.adaptive_max_pool2d(x.view((2, 1, 1)), 1)


CALLS = [
    dict(inputs="inputs"),
    dict(inputs="inputs", seed=3),
    dict(inputs="inputs", seed=4),
]
