# touchstone: 1
# expect: torch:fault:zeros_have_no_sign Differs
import torch


def inputs(seed, kind):
    x = data((4,), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    return -x


CALLS = [
    dict(inputs="inputs", seed=1, kind="zeros"),
    dict(inputs="inputs", seed=2, kind="zeros"),
]
