# touchstone: 1
# torch: 2.13.0
# note: a view that is written to, laid out anew in place beyond itself and turned: gradients reach only what it was a view of
# expect: torch:aot_function BackendRejected/compile
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    w0 = data((2, 2, 1), torch.float32, (seed, 1), kind).requires_grad_()
    b0 = w0.mul(1)
    x0 = b0[2:]
    return (x0,), (w0,)


def program(x0):
    x0.copy_(x0)
    x0.as_strided_((2,), (2,), 1)
    x0.transpose_(0, 0)
    return x0.sum()


CALLS = [
    dict(inputs="inputs", seed=1, backward=["arg 0"]),
    dict(inputs="inputs", seed=2, backward=["arg 0"]),
    dict(inputs="inputs", seed=3, backward=["arg 0"]),
]
