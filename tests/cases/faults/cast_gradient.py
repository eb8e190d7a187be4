# touchstone: 1
# torch: 2.13.0
# expect: fault:gradient_through_cast_is_rounded Differs/gradient_values
# expect: fault:number_has_32_bits Differs/values
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind).requires_grad_()
    return (x,), ()


def program(x):
    return x.double() * 0.1


CALLS = [
    dict(inputs="inputs", seed=1, kind="uniform", backward=[0]),
    dict(inputs="inputs", seed=2, kind="uniform", backward=[0]),
]
