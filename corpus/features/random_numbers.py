# touchstone: 1
# torch: 2.13.0
# note: random draws inside the program
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind).requires_grad_()
    return (x,), ()


def program(x):
    y = torch.rand_like(x)
    return x * y, torch.nn.functional.dropout(x, 0.5, True)


CALLS = [
    dict(inputs="inputs", seed=1, rng_seed=5, backward=[0], tangent_seed=3),
    dict(inputs="inputs", seed=2, rng_seed=6, backward=[1], tangent_seed=4),
]
