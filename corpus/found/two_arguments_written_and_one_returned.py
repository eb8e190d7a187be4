# touchstone: 1
# torch: 2.13.0
# note: an argument that requires grad is written to, then another one, which is returned. A bug, silent: AOT autograd puts the returned argument where the new value of the first one stands, so the first gets the values of the other.
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
# expect: torch:aot_eager Differs/input_values
# expect: torch:inductor Differs/input_values
import torch


def inputs(seed, kind):
    a = data((2,), torch.float32, (seed, 0), kind)
    w = data((2,), torch.float32, (seed, 1), kind).requires_grad_()
    b = w.clone()
    return (a, b), (w,)


def program(a, b):
    b.mul_(2)
    return a.add_(a)


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
    dict(inputs="inputs", seed=3),
]
