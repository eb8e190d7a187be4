# touchstone: 1
# expect: torch:fault:saved_masks_of_dropout_are_inverted Differs
import torch


def inputs(seed, kind):
    x = data((16,), torch.float32, (seed, 0), kind).requires_grad_()
    return (x,), ()


def program(x):
    return torch.nn.functional.dropout(x, 0.5)


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0]),
    dict(inputs="inputs", seed=2, backward=[0]),
]
