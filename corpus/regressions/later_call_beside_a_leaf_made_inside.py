# touchstone: 1
# torch: 2.13.0
# note: a write through a detached alias beside a leaf that the program makes, and the same objects given again
# expect: torch:aot_function BackendRejected/forward
# expect: torch:aot_eager BackendRejected/forward
# expect: torch:aot_eager_decomp_partition BackendRejected/forward
# expect: torch:inductor BackendRejected/forward
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    b0 = data((1, 1), torch.float32, (seed, 1), kind).requires_grad_()
    x0 = b0.permute((1, 0))
    return (x0,), (b0,)


def program(x0):
    x0.detach().add_(2)
    y8 = torch.ones((2,), requires_grad=True)
    y10 = torch.narrow(y8, -1, 1, 1)
    y13 = torch.matmul(x0, y10)
    return y10, y13


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
    dict(inputs=None),
]
