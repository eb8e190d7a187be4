# touchstone: 1
# torch: 2.13.0
# note: the gradient of an average pooling whose last window sticks out: eager divides by how much of the window there is, Inductor by all of it.
# expect: torch:inductor Differs/gradient_values/call 0 leaf 0
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    x = data((1, 1, 3, 2), torch.float64, (seed, 0), kind).requires_grad_()
    return (x,), ()


def program(x):
    return torch.nn.functional.avg_pool2d(x, 2, ceil_mode=True)


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0]),
    dict(inputs="inputs", seed=2, backward=[0]),
]
