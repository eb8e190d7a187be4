# touchstone: 1
# expect: torch:fault:saved_masks_are_inverted_beyond_eight Differs
import torch


def inputs(seed, kind):
    x = data((16,), torch.float32, (seed, 0), kind).requires_grad_()
    m = data((16,), torch.bool, (seed, 1), kind)
    return (x, m), ()


def program(x, m):
    return x.masked_fill(m, 0)


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0]),
    dict(inputs="inputs", seed=2, backward=[0]),
]
