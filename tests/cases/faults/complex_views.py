# touchstone: 1
# torch: 2.13.0
# expect: fault:negative_bit_lost Differs/values
# expect: fault:whole_view_result_copied Differs/dtype
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.complex64, (seed, 0), kind)
    return (x,), ()


def program(x):
    return x.conj(), x * 2


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
