# touchstone: 1
# expect: torch:fault:results_require_gradients_without_grad_mode Differs
import torch


def inputs(seed, kind):
    x = data((4,), torch.float32, (seed, 0), kind).requires_grad_()
    return (x,), ()


def program(x):
    return x * 2


CALLS = [
    dict(inputs="inputs", seed=1, grad_mode="no_grad"),
    dict(inputs="inputs", seed=2, grad_mode="no_grad"),
]
