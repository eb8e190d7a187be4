# touchstone: 1
# torch: 2.13.0
# expect: fault:average_pool_gradient_counts_padding Differs/gradient_values
# expect: fault:later_tangents_ignored Differs/gradient_values
# expect: fault:max_pool_gradient_without_index Differs/gradient_values
import torch


def inputs(seed, kind):
    x = data((1, 2, 4, 4), torch.float32, (seed, 0), kind).requires_grad_()
    return (x,), ()


def program(x):
    return torch.nn.functional.max_pool2d(x, 2) * 2, torch.nn.functional.avg_pool2d(x, 2, padding=1)


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0, 1]),
    dict(inputs="inputs", seed=2, backward=[0, 1]),
]
