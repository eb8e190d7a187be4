# touchstone: 1
# torch: 2.13.0
# note: polygamma_(tensor, n) is no polygamma(n, tensor) with a write
# expect: torch:aot_eager BackendRejected/compile
# expect: torch:aot_eager_decomp_partition BackendRejected/compile
# expect: torch:aot_function BackendRejected/compile
# expect: torch:inductor BackendRejected/compile
import torch


def inputs(seed, kind):
    return (data((3,), torch.float32, (seed, 1), kind),), ()


def program(x):
    y = x.abs() + 1
    y.polygamma_(1)
    return y * 2


CALLS = [
    dict(inputs="inputs"),
    dict(inputs="inputs", seed=3),
    dict(inputs="inputs", seed=4),
]
