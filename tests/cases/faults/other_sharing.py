# touchstone: 1
# torch: 2.13.0
# expect: fault:memory_of_later_arguments_unguarded InternalError/forward
# expect: fault:memory_unguarded Differs/values
# expect: fault:sharing_unguarded InternalError/forward
import torch


def inputs(seed, kind):
    x = data((4,), torch.float32, (seed, 0), kind)
    y = data((4,), torch.float32, (seed, 1), kind)
    return (x, y), ()


def inputs_other(seed, kind):
    base = data((8,), torch.float32, (seed, 0), kind)
    return (base[0:4], base[0:4]), (base,)


def program(x, y):
    x.add_(1)
    return y * 2


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs_other", seed=2),
    dict(inputs="inputs", seed=3),
]
