# touchstone: 1
# torch: 2.13.0
# expect: fault:fourth_output_detached Differs/requires_grad
# expect: fault:scalar_output_detached Differs/requires_grad
# expect: fault:sine_and_cosine_merged Differs/values
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind).requires_grad_()
    return (x,), ()


def program(x):
    return x * 2, torch.sin(x), x.sum(), torch.cos(x), torch.exp(x), torch.tanh(x)


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0]),
    dict(inputs="inputs", seed=2, backward=[0]),
]
