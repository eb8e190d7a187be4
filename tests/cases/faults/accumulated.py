# touchstone: 1
# torch: 2.13.0
# expect: fault:accumulate_dropped Differs/values
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    x.index_put_((torch.tensor([0, 0]),), torch.tensor(1.0), accumulate=True)
    return x * 2


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
