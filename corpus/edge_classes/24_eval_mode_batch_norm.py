# touchstone: 1
# torch: 2.13.0
# note: batch norm in eval mode mutates nothing
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    x = data((2, 3, 4), torch.float32, (seed, 0), kind).requires_grad_()
    mean = data((3,), torch.float32, (seed, 1), kind)
    variance = torch.ones(3)
    return (x, mean, variance), ()


def program(x, mean, variance):
    return torch.nn.functional.batch_norm(x, mean, variance, None, None, False, 0.1, 1e-05)


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0], tangent_seed=3),
    dict(inputs="inputs", seed=2, backward=[0], tangent_seed=4),
]
