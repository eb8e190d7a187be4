# touchstone: 1
# torch: 2.13.0
# note: a gradient of what the root was made before: libtorch counts no dependencies there
# expect: torch:aot_function Differs/leaf/call 0
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    b0 = data((1, 1, 1, 1), torch.float64, (seed, 1), kind)
    b1 = data((1, 1), torch.float32, (seed, 1), kind).requires_grad_()
    x0 = b0.expand((1, 1, 1, 1)).requires_grad_()
    return (x0, b0, b1), ()


def program(x0, x2, x3):
    x2.mul_(x3)
    return (x3,)


CALLS = [
    dict(inputs="inputs", backward=[0], wrt=[0], compiled_autograd=True),
    dict(inputs="inputs", seed=1, backward=[0], wrt=[0], compiled_autograd=True),
    dict(inputs="inputs", seed=1, backward=[0], wrt=[0]),
]
