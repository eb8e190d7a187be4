# touchstone: 1
# torch: 2.13.0
# expect: fault:eps_of_normalization_dropped Differs/values
# expect: fault:last_of_many_gradients_lost Differs/gradient_presence
# expect: fault:later_saved_values_swapped Differs/gradient_values
# expect: fault:layer_norm_gradients_swapped Differs/gradient_values
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind).requires_grad_()
    w = data((4,), torch.float32, (seed, 1), kind).requires_grad_()
    b = data((4,), torch.float32, (seed, 2), kind).requires_grad_()
    return (x, w, b), ()


def program(x, w, b):
    return torch.nn.functional.layer_norm(x, (4,), w, b)


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0]),
    dict(inputs="inputs", seed=2, backward=[0]),
]
