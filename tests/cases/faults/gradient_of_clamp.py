# touchstone: 1
# torch: 2.13.0
# expect: fault:clamp_gradient_without_bounds Differs/gradient_values
# expect: fault:first_branch_has_no_gradient Differs/gradient_values
# expect: fault:saved_flags_packed Differs/gradient_values
# expect: fault:second_bound_of_clamp_dropped Differs/values
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind).requires_grad_()
    return (x,), ()


def program(x):
    return torch.clamp(x, -1, 0.5)


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0]),
    dict(inputs="inputs", seed=2, backward=[0]),
]
