# touchstone: 1
# torch: 2.13.0
# expect: fault:gradient_written_behind OutOfBounds
# expect: fault:last_output_detached Differs/requires_grad
# expect: fault:outputs_swapped Differs/values
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind).requires_grad_()
    y = data((3, 4), torch.float32, (seed, 1), kind).requires_grad_()
    return (x, y), ()


def program(x, y):
    return x - y, y / x


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0]),
    dict(inputs="inputs", seed=2, backward=[0]),
]
