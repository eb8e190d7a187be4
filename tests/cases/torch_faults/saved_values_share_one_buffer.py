# touchstone: 1
# expect: torch:fault:saved_values_share_one_buffer Differs
import torch


def inputs(seed, kind):
    x = data((4,), torch.float32, (seed, 0), kind).requires_grad_()
    return (x,), ()


def program(x):
    y = x.sin()
    return y.tanh().exp() * 2


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0]),
    dict(inputs="inputs", seed=2, backward=[0], backward_after=0),
    dict(inputs="inputs", seed=3),
]
