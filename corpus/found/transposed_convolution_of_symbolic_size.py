# touchstone: 1
# torch: 2.13.0
# note: Inductor compares a symbol with 1 where it chooses the layout of the convolution's gradient, and raises TypeError
# expect: ts_compile Unsupported
# expect: simple_ts_compile Unsupported
# expect: torch:inductor BackendRejected/compile
import torch


def inputs(seed, kind):
    x = data((1, 1, 2), torch.float32, (seed, 0), kind).requires_grad_()
    w = data((1, 1, 1, 2), torch.float32, (seed, 1), kind)
    return (x, w), ()


def program(x, w):
    return torch.nn.functional.conv_transpose2d(x, w)


CALLS = [
    dict(inputs="inputs", backward=[0]),
    dict(inputs="inputs", seed=1, backward=[0]),
]
COMPILE = dict(dynamic=True)
