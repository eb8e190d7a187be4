# touchstone: 1
# torch: 2.13.0
# expect: fault:gathered_gradient_counts_once Differs/gradient_values
# expect: fault:repeated_index_counts_once Differs/gradient_values
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind).requires_grad_()
    return (x,), ()


def program(x):
    return x[torch.tensor([0, 0, 2])] * 2, torch.gather(x, 0, torch.zeros(2, 4, dtype=torch.int64))


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0, 1]),
    dict(inputs="inputs", seed=2, backward=[0, 1]),
]
