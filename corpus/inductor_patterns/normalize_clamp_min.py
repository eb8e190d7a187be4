# touchstone: 1
# torch: 2.13.0
# note: clamp with one bound, and with tensors
# inductor: normalization_pass
# fires: split_cat/normalize_clamp_default
# fires: split_cat/normalize_clamp_default#2
import torch


def inputs(seed, kind):
    x = data((4, 6), torch.float32, (seed, 0), kind)
    y = data((6,), torch.float32, (seed, 1), kind)
    return (x, y), ()


def program(x, y):
    return x.clamp(0.5), torch.clamp(x, y), torch.clamp(x, max=y), x.clamp(None, 0.5)


CALLS = [
    dict(inputs="inputs", seed=1, grad_mode="no_grad"),
    dict(inputs="inputs", seed=2, grad_mode="no_grad"),
]
