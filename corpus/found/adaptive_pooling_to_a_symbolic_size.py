# touchstone: 1
# torch: 2.13.0
# note: an adaptive pooling to half of a symbolic size: Inductor asks whether its windows are large as a Python truth. With dynamic=False it agrees.
# expect: torch:inductor BackendRejected/compile
import torch


def inputs(seed, kind):
    x = data((2, 3, 5, 4), torch.float64, (seed, 0), kind)
    return (x,), ()


def inputs_2(seed, kind):
    x = data((2, 3, 6, 5), torch.float64, (seed, 0), kind)
    return (x,), ()


def program(x):
    return torch.nn.functional.adaptive_avg_pool2d(x, (x.size(2) // 2, x.size(3)))


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
    dict(inputs="inputs_2", seed=3),
]
COMPILE = dict(dynamic=True)
