# touchstone: 1
# expect: torch:fault:strides_are_guarded_by_their_order Differs
import torch


def inputs(seed, kind):
    x = data((2, 3), torch.float32, (seed, 0), kind)
    return (x,), ()


def inputs_2(seed, kind):
    b = data((2, 5), torch.float32, (seed, 0), kind)
    x = b[:, :3]
    return (x,), ()


def program(x):
    return x * x.stride(0)


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs_2", seed=2),
    dict(inputs="inputs_2", seed=3),
]
