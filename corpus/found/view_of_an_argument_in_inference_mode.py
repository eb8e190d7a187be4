# touchstone: 1
# torch: 2.13.0
# note: a view of an argument that requires grad is made in a region of inference mode. A bug: AOT autograd cannot trace it, and the region is never left, so that later calls come to an internal assertion.
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
# expect: torch:aot_function BackendRejected/compile
# expect: torch:aot_eager InternalError/forward
# expect: torch:aot_eager_decomp_partition InternalError/forward
import torch


def inputs(seed, kind):
    x = data((1, 3), torch.float32, (seed, 0), kind).requires_grad_()
    return (x,), ()


def program(x):
    with torch.inference_mode():
        y = x.t() + 1
    return y, x.sin()


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
    dict(inputs="inputs", seed=3),
]
