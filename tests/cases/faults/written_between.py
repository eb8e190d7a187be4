# touchstone: 1
# torch: 2.13.0
# expect: fault:exp_by_two Differs/values
# expect: fault:input_saved_for_exp Differs/gradient_values
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind).requires_grad_()
    return (x,), ()


def program(x):
    return (torch.exp(x),)


def touch(args, outs):
    with torch.no_grad():
        outs[0].add_(1)


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0], between="touch"),
    dict(inputs="inputs", seed=2, backward=[0], between="touch"),
]
