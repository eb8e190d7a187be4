# touchstone: 1
# torch: 2.13.0
# expect: fault:huber_gradient_of_default Differs/gradient_values
# expect: fault:squared_loss_gradient_halved Differs/gradient_values
# expect: fault:third_use_has_no_gradient Differs/gradient_values
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind).requires_grad_()
    y = data((3, 4), torch.float32, (seed, 1), kind).requires_grad_()
    return (x, y), ()


def program(x, y):
    return torch.nn.functional.smooth_l1_loss(x, y, beta=0.5), torch.nn.functional.huber_loss(x, y, delta=0.5), torch.nn.functional.mse_loss(x, y)


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0, 1, 2]),
    dict(inputs="inputs", seed=2, backward=[0, 1, 2]),
]
