# touchstone: 1
# torch: 2.13.0
# note: requires_grad_ of a view that is no leaf, before another view of its base is moved
# expect: torch:aot_function Unsupported
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    w0 = data((2, 2, 2), torch.float32, (seed, 1), kind).requires_grad_()
    b0 = w0.mul(1)
    x0 = b0[1:]
    return (x0,), (w0,)


def program(x0):
    y2 = torch.nn.functional.pad(x0, (1, 1), mode="circular")
    x0.requires_grad_()
    y19 = x0.permute((0, 2, 1))
    y19.as_strided_((2, 2), (2, 2), 1)
    return (y2,)


CALLS = [
    dict(inputs="inputs", backward=[0, "arg 0"]),
    dict(inputs="inputs", seed=3, backward=[0, "arg 0"]),
    dict(inputs="inputs", seed=4, kind="uniform", backward=[0, "arg 0"]),
]
