# touchstone: 1
# torch: 2.13.0
# note: pytorch/pytorch#127561: a custom backward of a mutated input, whose own backward is not the derivative
# expect: torch:aot_function Unsupported
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind).requires_grad_()
    w = data((3, 4), torch.float32, (seed, 1), kind)
    return (x, w), ()


def scale_in_place(grad):
    result = grad.clone()
    result.mul_(2)
    return result


def program(x, w):
    y = x.mul(2)
    y.register_hook(scale_in_place)
    w.add_(1)
    return y * w


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0], tangent_seed=3),
    dict(inputs="inputs", seed=2, backward=[0], tangent_seed=4),
]
