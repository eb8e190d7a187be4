# touchstone: 1
# torch: 2.13.0
# expect: fault:arguments_guarded_without_order BackendRejected/forward
import torch


def inputs(seed, kind):
    x = data((4,), torch.float32, (seed, 0), kind)
    y = data((1,), torch.float32, (seed, 1), kind)
    return (x, y), ()


def inputs_other(seed, kind):
    x = data((1,), torch.float32, (seed, 0), kind)
    y = data((4,), torch.float32, (seed, 1), kind)
    return (x, y), ()


def program(x, y):
    return x * 2, (y - x).reshape(-1)[:1], y + 0.5


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs_other", seed=2),
    dict(inputs="inputs", seed=3),
]
