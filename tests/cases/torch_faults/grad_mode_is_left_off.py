# touchstone: 1
# expect: torch:fault:grad_mode_is_left_off Differs
import torch


def inputs(seed, kind):
    x = data((4,), torch.float32, (seed, 0), kind)
    y = data((4,), torch.float32, (seed, 1), kind)
    z = data((4,), torch.float32, (seed, 2), kind)
    w = data((4,), torch.float32, (seed, 3), kind)
    return (x, y, z, w), ()


def program(x, y, z, w):
    return x * y + z * w


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
