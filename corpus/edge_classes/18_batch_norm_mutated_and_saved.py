# touchstone: 1
# torch: 2.13.0
# note: running statistics are mutated and saved for backward
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    x = data((2, 3, 4), torch.float32, (seed, 0), kind).requires_grad_()
    mean = torch.zeros(3)
    variance = torch.ones(3)
    w = data((3,), torch.float32, (seed, 1), kind).requires_grad_()
    b = data((3,), torch.float32, (seed, 2), kind).requires_grad_()
    return (x, mean, variance, w, b), ()


def program(x, mean, variance, w, b):
    return torch.nn.functional.batch_norm(x, mean, variance, w, b, True, 0.1, 1e-05)


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0], tangent_seed=3),
    dict(inputs="inputs", seed=2, backward=[0], tangent_seed=4),
]
