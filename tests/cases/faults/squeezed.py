# touchstone: 1
# torch: 2.13.0
# expect: fault:squeeze_of_all Differs/shape
# expect: fault:unsqueezed_at_other_end Differs/shape
import torch


def inputs(seed, kind):
    x = data((1, 3, 1, 4), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    return x.squeeze(0) * 2, x.unsqueeze(-1) * 2


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
