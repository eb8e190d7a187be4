# touchstone: 1
# torch: 2.13.0
# note: an argument comes to depend on a leaf that the program made, and the same objects are given again
# expect: torch:aot_function Differs/requires_grad
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def program(x3):
    y1 = torch.ones((), requires_grad=True)
    x3.add_(y1)
    return x3


def inputs_changed(seed, kind):
    w2 = data((1, 1), torch.float32, (seed, 1), kind)
    return (w2,), ()


CALLS = [
    dict(inputs="inputs_changed", seed=1),
    dict(inputs="inputs_changed", seed=2),
    dict(inputs=None),
]
