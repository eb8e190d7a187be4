# touchstone: 1
# torch: 2.13.0
# expect: fault:error_class_lost BackendRejected/forward
# expect: fault:error_text_lost BackendRejected/forward
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind).requires_grad_()
    return (x,), ()


def program(x):
    y = x * 2
    y.retain_grad()
    return y, y * 3


CALLS = [
    dict(inputs="inputs", seed=1, backward=[1]),
    dict(inputs="inputs", seed=2, backward=[1]),
]
