# touchstone: 1
# torch: 2.13.0
# expect: fault:fresh_results_contiguous Differs/strides
# expect: fault:tangent_taken_for_contiguous Differs/gradient_values
# expect: fault:transposed_matrix_contiguous Differs/strides
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind).requires_grad_()
    return (x,), ()


def program(x):
    return torch.sin(x.t())


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0]),
    dict(inputs="inputs", seed=2, backward=[0]),
]
