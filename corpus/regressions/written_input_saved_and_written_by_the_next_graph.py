# touchstone: 1
# torch: 2.13.0
# note: a product saves an input that was written to before it; code behind a break writes to it again
# expect: torch:aot_function Unsupported
# expect: torch:aot_eager BackendAccepts
# expect: torch:aot_eager_decomp_partition BackendAccepts
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    x = data((2, 3), torch.float32, (seed, 0), kind)
    w = data((3, 3), torch.float32, (seed, 1), kind).requires_grad_()
    return (x, w), ()


def inputs_wide(seed, kind):
    x = data((5, 3), torch.float32, (seed, 0), kind)
    w = data((3, 3), torch.float32, (seed, 1), kind).requires_grad_()
    return (x, w), ()


def program(x, w):
    x.mul_(2)
    y = x @ w
    print("here")
    z = y.relu()
    x.add_(1)
    return z * w.sum()


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0]),
    dict(inputs="inputs_wide", seed=2, backward=[0]),
    dict(inputs="inputs", seed=3, backward=[0]),
]
