# touchstone: 1
# torch: 2.13.0
# note: kernels round by layout: the backward sees tangents as they are laid out; a native pipeline of ours was wrong here
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    b0 = data((2, 3), torch.float32, (seed, 302), kind).requires_grad_()
    b1 = data((1, 1, 3), torch.float32, (seed, 1), kind)
    x1 = b0.permute((1, 0))
    x2 = b1.requires_grad_()
    return (b0, x1, x2), ()


def program(x0, x1, x2):
    y6 = x1 @ x0
    return x2, x1, y6


CALLS = [
    dict(inputs="inputs", seed=1, kind="special", backward=[0, 1, 2], tangent_seed=14, tangent_layout="expanded"),
    dict(inputs="inputs", seed=2, kind="special", backward=[0, 1, 2], tangent_seed=14, tangent_layout="expanded"),
]
