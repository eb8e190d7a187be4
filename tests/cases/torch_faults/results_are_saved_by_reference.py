# touchstone: 1
# expect: torch:fault:results_are_saved_by_reference Differs
import torch


def inputs(seed, kind):
    x = data((4,), torch.float32, (seed, 0), kind).requires_grad_()
    return (x,), ()


def touch(args, outs):
    outs.add_(1)


def program(x):
    return torch.exp(x)


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0], between="touch"),
    dict(inputs="inputs", seed=2, backward=[0], between="touch"),
]
