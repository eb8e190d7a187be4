# touchstone: 1
# torch: 2.13.0
# expect: fault:many_arguments_refused BackendRejected/forward
import torch


def inputs(seed, kind):
    x0 = data((3, 4), torch.float32, (seed, 0), kind)
    x1 = data((3, 4), torch.float32, (seed, 1), kind)
    x2 = data((3, 4), torch.float32, (seed, 2), kind)
    x3 = data((3, 4), torch.float32, (seed, 3), kind)
    x4 = data((3, 4), torch.float32, (seed, 4), kind)
    x5 = data((3, 4), torch.float32, (seed, 5), kind)
    return (x0, x1, x2, x3, x4, x5), ()


def program(x0, x1, x2, x3, x4, x5):
    return x0 + x1 + x2 + x3 + x4 + x5


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
