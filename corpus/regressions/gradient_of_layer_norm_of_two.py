# touchstone: 1
# torch: 2.13.0
# note: the gradient of a normalization over two elements is nothing but what does not cancel
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    data((2, 3), torch.float32, (seed, 2), kind)
    b1 = data((3, 2), torch.float32, (seed, 821), kind).requires_grad_()
    return (b1,), ()


def program(x1):
    y4 = torch.nn.functional.layer_norm(x1, (2,))
    return y4


CALLS = [
    dict(inputs="inputs"),
    dict(inputs="inputs"),
    dict(inputs="inputs"),
    dict(inputs="inputs", seed=11, kind="uniform", backward=[0], tangent_seed=11),
    dict(inputs="inputs", seed=12, kind="uniform", backward=[0], tangent_seed=11),
]
