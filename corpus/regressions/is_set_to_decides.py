# touchstone: 1
# torch: 2.13.0
# note: whether two tensors are the same memory, asked by an operator
# expect: torch:aot_function Differs/non_tensor
import torch


def inputs(seed, kind):
    x = data((3, 3), torch.float32, (seed, 0), kind)
    y = data((3, 3), torch.float32, (seed, 1), kind)
    return (x, y), ()


def inputs2(seed, kind):
    x = data((3, 3), torch.float32, (seed, 0), kind)
    return (x, x), ()


def program(x, y):
    return x.is_set_to(y), x + 1


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs2", seed=2),
    dict(inputs="inputs", seed=11),
    dict(inputs="inputs2", seed=12),
]
